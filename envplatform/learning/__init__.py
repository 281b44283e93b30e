"""What a model makes of trajectories: scores, later training. The only home of torch.

Importing this package, `conversation`, `protocol` and `scorer` loads no torch: whoever
orchestrates starts a process of its own for what does (`score_process`).
"""
