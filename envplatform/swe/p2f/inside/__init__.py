"""What is uploaded into a sandbox to run a suite and to tell the truth about it.

Two processes. The runner (`runner.py`) is ours: it reads one job from standard
input, hides its memory from its own user, starts the second process and prints one
result line. The child (`child.py`) holds pytest, our plugin and the code under test;
it reports on a private pipe, record by record.

Standard library only (the child also imports the image's pytest and coverage), and
Python 3.7 syntax: targets may need old interpreters. Imports nothing else of ours,
and nothing on the host imports this package: its files are data there.

What it holds against: whatever the code under test prints, forges, kills, closes or
deletes ends as another class than `passed` or `failed`. What it can't hold against:
code that searches its own interpreter for the plugin's objects and calls them.
"""
