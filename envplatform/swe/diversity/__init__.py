"""What is measured of a set of bugs: how diverse, how sure, how like real ones.

    describe      bug type and syntax tree of what a candidate makes of its files
    rarefaction   entropy of bug types within a file, at equal numbers of bugs (MBTE)
    intervals     how sure a share is
    distributions how far apart two distributions of bug types are
    coverage      fixes to learn from, of few or many repositories and equal number

Nothing here runs code, reads files or knows where rows come from.
"""
