"""How likely a model finds right answers, with its adapter and without it.

`held_out` is what the rest of the house asks and the process that it starts; `measure`
runs in that process, and alone loads torch.
"""
