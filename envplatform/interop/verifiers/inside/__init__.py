"""The package that is written; it runs where verifiers is installed, and only there."""
