"""Measurements, each one command: `python -m benchmarks.<name>`.

Progress goes to standard error, one JSON object is the last line of standard output.
A benchmark that could not do its work says why and exits non-zero.
"""
