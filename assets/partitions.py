"""The sets of partition keys, all dynamic. Who adds keys to them is not known here.

A partition is a repository, a seed or an experiment, never a row: events and runs
cost, keys don't.
"""

import dagster as dg

fix_repo = dg.DynamicPartitionsDefinition(name="fix_repo")
"""Repositories that gave fixes, `owner__name`."""

target_repo = dg.DynamicPartitionsDefinition(name="target_repo")
"""Healthy repositories that bugs are put into, `owner__name`."""

res_seed = dg.DynamicPartitionsDefinition(name="res_seed")
"""Seed tasks, by the name of what ships or of the folder that was imported."""

cowork_seed = dg.DynamicPartitionsDefinition(name="cowork_seed")
"""Random seeds, each of which gives one shard of cowork environments."""

rollout_batch = dg.DynamicPartitionsDefinition(name="rollout_batch")
"""Named batches of rollouts: one policy over the environments there are."""

experiment = dg.DynamicPartitionsDefinition(name="experiment")
"""Named configurations of models and data, so that one never overwrites another."""

arm_experiment = dg.DynamicPartitionsDefinition(name="arm_experiment")
"""Named experiments with arms: models that differ in one thing, over the same tasks."""
