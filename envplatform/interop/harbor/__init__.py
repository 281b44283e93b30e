"""Harbor (0.26): an environment of ours is a Harbor task already, so a copy is an export.

`bubblewrap.py` lets Harbor run such tasks without Docker. Harbor needs Python 3.12 and
its own virtual environment; only there is that module imported.
"""
