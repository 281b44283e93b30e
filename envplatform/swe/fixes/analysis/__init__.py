"""What one reverse patch is, from its bytes alone. No thresholds of the user's here.

    analyse     all of it in order: `Sides` in, `Analysis` out
    paths       which changed files are code, tests, generated or left out
    source      one side of one file, decoded and parsed within bounds
    change      which files, lines and hunks of code the diff touches
    edits       which statements differ, of two syntax trees
    code_text   statements as text, with names as they are or numbered
    same_code   whether a change leaves the code as it was
    digests     exact and normalised identity of a change, ids of files
    words       lines of code to words, for the two below
    shingles    MinHash signature of a change, to find what is nearly the same
    ngrams      hashes of 13 words in a row, to find held-out lines
    tokens      how long the files are for a model

Nothing of the files is executed.
"""
