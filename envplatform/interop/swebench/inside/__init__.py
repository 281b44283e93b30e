"""What runs in the sandbox of an imported instance; standard library only."""
