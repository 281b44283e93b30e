"""Sandboxes: the only place where code of others runs."""
