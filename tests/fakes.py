"""Every fake of the test suite: each subclasses the interface it stands in for."""
