"""What ships with the verifiers of families; runs in sandboxes only, nothing imports it."""
