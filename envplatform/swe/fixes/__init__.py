"""From published fixes and git histories to supervision for a bug inducer.

    sources/      any layout of published fixes -> `FixInstance`
    histories/    the files of a repository at a commit, or of a release
    reconstruct   instance + files -> both sides, and a fresh diff back to the bug
    analysis/     what one reverse patch is: size, code, bug type, hashes
    curation/     which are kept, which are drawn; every rejection has a reason code

Files are bytes throughout. A rejection is a value with a code from `refusal`; an
exception is a broken invariant, or a machine or network that failed.
"""
