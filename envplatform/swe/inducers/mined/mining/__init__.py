"""From reverse patches to a library of patterns.

fixes         a row to both sides of its files
changes       both sides of a file to small pairs of code
known         names that mean the same in every repository
abstraction   one pair to patterns, from special to general
groups        instances of one pattern, counted
keeping       which patterns are worth keeping
mine          patterns of all fixes, counted, specialised and chosen
"""

from envplatform.swe.inducers.mined.mining.keeping import Limits
from envplatform.swe.inducers.mined.mining.mine import REVISION, mine

__all__ = ["REVISION", "Limits", "mine"]
