"""The public way back, as data: expressions over requests, and what evaluates them.

A transformed environment says for each public name how its content is had again. An
expression is a JSON object whose `do` names one operation of a small closed set; all
else is a literal.

Standard library alone, and nothing of ours is imported: this package also ships with the
oracles of transformed environments.
"""

from __future__ import annotations

from .contents import RecoveryError, decode_numbers, decode_rows
from .expressions import OPERATIONS, READS, Ask, Node, Recovery, Told

__all__ = [
    "OPERATIONS",
    "READS",
    "Ask",
    "Node",
    "Recovery",
    "RecoveryError",
    "Told",
    "decode_numbers",
    "decode_rows",
]
