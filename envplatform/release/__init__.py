"""Immutable, versioned data sets of gated environments and selected trajectories.

`making` builds one, `shelf` keeps them, `verifying` finds damage, `differing` compares
two, `pushing` copies one out. A release is a folder that `datasets` reads as it is.
"""
