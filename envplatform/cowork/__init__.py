"""Cowork: interactive work environments with a user inside, at breadth.

Here: the taxonomy and its quotas, personas, the library of real material, scenario
families, three roles that build, construct and detect apart from one another
(`roles`), and the loop over them (`workshop`). Not here: the gate (`grading`), who
attends a session (`rollout`), assets.
"""
