"""What grading runs inside sandboxes: standard library only, handed over as source."""
