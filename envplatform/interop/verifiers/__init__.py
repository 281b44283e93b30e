"""Environments as a taskset of verifiers 0.4 (its `v1`), which is not imported here."""
