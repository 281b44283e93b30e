"""The `mutation` inducer: procedural operators over Python's syntax tree.

SWE-smith's thirteen operators, and comparison and flip operators besides. One small
module a family: `classes`, `control_flow`, `constants`, `operations`, `removal`,
`comparisons`, `flips`; `operators` lists them. `source` reads a file, `edits` changes
its bytes, `inducer` chooses. An operator changes only the bytes of the nodes it is
about: comments, blank lines and style of the file stay.
"""

from envplatform.swe.inducers.mutation.inducer import REVISION, MutationInducer
from envplatform.swe.inducers.mutation.operators import OPERATORS

__all__ = ["OPERATORS", "REVISION", "MutationInducer"]
