"""The files of a repository at a commit, and fixes found in its log.

    location      where a repository is: URL or path, checked, and how it may be shown
    git_command   git, run so that a remote can neither ask, hook in nor hang
    mirror        blob-filtered bare mirrors in a cache
    objects       blobs, trees and commits of a mirror, read by a running process
    git_history   the `History` of instances whose origin is `git`
    inline        the `History` of instances that carry their files
    mining        commits that look like fixes, as a source

Releases on a package index are in `fixes.releases`.
"""
