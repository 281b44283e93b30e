"""Ships with imported environments and runs in the grader's sandbox only."""
