"""Tasks of Claw-Eval-Live: a YAML file, fixtures, a grader class in Python.

Format after the public set (CC-BY-4.0); no code of it is used or kept here.
"""
