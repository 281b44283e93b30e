"""ATIF (1.8), the trajectory format of Harbor and of what reads its records."""
