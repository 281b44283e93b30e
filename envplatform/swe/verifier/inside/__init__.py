"""The verifier of a SWE environment: files that run in the grading sandbox as /tests.

`grade.py` puts the tests back (`restore.py`), has the suite run through the private
channel of `p2f`, ends whatever is still running (`processes.py`), and only then
writes reward.json. Standard library only, Python 3.7 syntax. On the host these files
are data, but for `restore.is_infrastructure`, which is pure.

What it holds against: a workspace that brings its own tests, conftest.py, settings,
byte code, links or plugins; code that prints, forges records, kills, ends the
interpreter, or waits in the background to overwrite the reward. Code that turns every
result to `passed` is caught by a test of ours that must fail. What it can't hold
against: code that, from inside the test process, alters chosen results by searching
the interpreter for the plugin's objects.
"""
