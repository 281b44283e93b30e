"""Training a model in a process of its own: the order, the process, what comes of it.

`order` and `rows` say what is wanted, `supervise` starts the process, `record` and
`checkpoint` are what it publishes; none of them loads torch. The others run inside it.
"""
