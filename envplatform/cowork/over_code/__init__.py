"""Code bases with a bug of the inducers, and a colleague who wants the repair handed over.

Here: what is drawn around a bug (`drawing`, `papers`), the environment that comes of it
(`composing`), the gate over it (`gate`); `inside` runs in sandboxes. Not here: bugs and
their graders, which are taken as they are from any environment of code.
"""

from envplatform.cowork.over_code.composing import PRODUCER, with_colleague
from envplatform.cowork.over_code.gate import gate_with_colleague

__all__ = ["PRODUCER", "gate_with_colleague", "with_colleague"]
