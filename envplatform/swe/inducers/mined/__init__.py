"""The `mined` inducer: edit patterns of real fixes, matched on other code.

    metavariables  `$a`, `$name1`: how they are written and parsed
    trees          equality and size of syntax trees
    template       both sides of a pattern as trees, checked
    pattern        `BugPattern`, a row, and `PatternLibrary`
    library_file   libraries as TOML that a person can write
    mining/        from reverse patches to a library
    matching       what a pattern's metavariables stand for at a place
    places         all places of a library in a file
    fragments      the defective side as text; rewriting, as edits of a file
    scope          names that a change may not lose
    inducer        choice of places, checks, candidates

No model takes part and nothing is executed.
"""

from envplatform.swe.inducers.mined.inducer import REVISION, MinedInducer
from envplatform.swe.inducers.mined.pattern import (
    BugPattern,
    PatternLibrary,
    library_of,
)

__all__ = ["REVISION", "BugPattern", "MinedInducer", "PatternLibrary", "library_of"]
