"""Which kind of bug a fix mends, by rules over the edits of its syntax trees.

    source      one side of a file: text and syntax tree, if it parses
    statements  which statements changed, and which belong together
    likeness    what two statements have in common; moves, what only went elsewhere
    expressions what changed inside two statements that belong together
    edit        `Edit`, the one currency between those above and the rules
    rules/      small functions from an edit to "this speaks for that type"
    classify    all of it in order, and the tie-break
    agreement   confusion table, accuracy and Cohen's kappa against labels
    labeller    optional: the opinions of two language models, and their agreement

Nothing here runs code or reads files.
"""
