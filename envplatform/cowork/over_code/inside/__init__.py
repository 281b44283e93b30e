"""What ships with environments of this kind; runs in sandboxes only.

Standard library, Python 3.10 and later, nothing else of ours. The files are data to the
host: nothing imports this package.
"""
