"""SWE-bench: environments of bugs as a task repository with classic rows, and back.

Written for the tools of swebench 5, none of which is imported.
"""
