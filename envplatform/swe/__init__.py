"""The sampling axis: bugs put into healthy repositories and proved by execution."""
