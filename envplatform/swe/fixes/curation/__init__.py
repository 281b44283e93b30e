"""Which reverse patches are kept, and which of those a training set is drawn from.

    curate        facts in, one verdict each out, with a reason code
    limits        thresholds of the user's settings
    repeats       what an earlier one has already: exact, same shape, nearly the same
    held_out      sets that must stay unseen: built in, and the user's own
    hash_file     the latter as hashes on disk, so that their content stays at home
    hashes        both of them in memory, ready to be asked
    licences      which repositories the licence policy takes
    sampling      the seeded draw, and the split by repository

Nothing here sees a file or a patch, but for `hash_file`, which makes hashes of them.
"""
