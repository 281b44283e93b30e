"""The fast tier: a warm screen, confirmation by selection, and audits of both.

What decides a verdict is the same as in the cold tier: `verify.py` confirms, and the
whole suite has the last word wherever the two were compared and differ.
"""
