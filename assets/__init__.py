"""Dagster definitions: assets, checks, jobs. Bodies call the library and add nothing.

`definitions.py` alone builds resources and puts everything together; `workspace.yaml`
and `[tool.dg]` name it.
"""
