"""Changes told in words: what leads from the correct code to the defect, in six fields.

    text      the six fields, how they are bounded, and words that would tell too much
    by_rules  made from the edits of the syntax trees; always works
    by_model  asked of a model, one fix at a time
    annotate  a row for each fix: the model's words, or the rules' where they won't do

A pattern reads like any request for a change. It never says that the outcome is a defect:
whoever carries it out is not to know.
"""
