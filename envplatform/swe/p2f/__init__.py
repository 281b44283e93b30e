"""Pass-to-fail: what execution says of a suite and of a candidate.

`inside/` is what runs in the sandbox. Everything else builds its jobs, reads its
results strictly, and turns them into baselines and verdicts.
"""
