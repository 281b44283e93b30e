"""Inducers: each proposes defects in a healthy file; none of them runs anything.

`base` holds what they share. One folder or module an inducer; `mutation` is the
procedural one.
"""
