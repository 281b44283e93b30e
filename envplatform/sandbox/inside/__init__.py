"""What runs inside a Docker sandbox, as its first process (`python -m` this package).

Copied into the image and started there by the image's own Python (3.7 or newer):
standard library only, and of ours only its own modules. Started by `engine`, which
is also the other end of its `channel`.
"""
