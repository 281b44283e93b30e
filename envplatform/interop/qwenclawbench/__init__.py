"""Tasks of QwenClawBench and PawBench v1: Markdown with a `grade` function.

Format after the set's own runner (QwenClawBench v1.1, MIT); no code of it is used.
"""
