"""A student that learns a teacher's distributions where it goes itself.

`settings` loads no torch. `divergence` is the loss, `recorded` the loop over rollouts
that the student played before, `single_turns` TRL's trainer for answers without tools.
"""
