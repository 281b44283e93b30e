"""Training on rollouts that the policy itself plays, as it learns.

`rewards`, `player` and `protocol`-like values load no torch; `grpo` is the one module
that touches experimental parts of TRL. Playing itself is not done here: a player is a
process of its own, or whatever else keeps to `trajectories.playing`.
"""
