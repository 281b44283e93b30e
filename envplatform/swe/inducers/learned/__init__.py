"""Inducers whose models learned from reversed fixes: `model` and `pattern`.

`model`: a model reads a correct file and writes a diff. `pattern`: a model writes a change
in words, and an executor, which is told of a change and of nothing else, writes the diff.

    shown        which part of a file models read, with line numbers
    prompts      what models are asked, in training and in sampling alike
    supervision  training rows, from fixes and their patterns
    plan         how many samples of what temperature, and with which seeds
    sampling     ask for a sample, and keep it
    reading      from an answer to the text of a diff
    repair       apply it with as little help as it needs, and say how much that was
    judge        say whether what came out is a change worth executing
    inducer      both inducers

Whatever a model says is data: it is applied to one file in memory, and run by nobody here.
"""

from envplatform.swe.inducers.learned.inducer import (
    REVISION,
    LearnedInducer,
    LearnedName,
)
from envplatform.swe.inducers.learned.plan import SamplingPlan
from envplatform.swe.inducers.learned.sampling import Sampler

__all__ = ["REVISION", "LearnedInducer", "LearnedName", "Sampler", "SamplingPlan"]
