"""A factory for executable, verified environments to train and evaluate agents."""

__version__ = "0.1.0"
