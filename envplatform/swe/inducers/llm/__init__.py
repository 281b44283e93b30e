"""Inducers that prompt a language model: `llm_modify` and `llm_rewrite`.

Baselines after SWE-smith (LM Modify, LM Rewrite). The one shows a function and asks for
the same with a defect; the other shows a file without that function's body and asks for
the body, and what breaks is the bug.

`entities` finds functions, `prompts` words what is asked, `answer` reads what came,
`layout` puts it into the file, `judge` says whether it will do, `asking` asks, once more
where it will not, and `inducer` chooses what to ask. Whatever a model says is data.
"""

from envplatform.swe.inducers.llm.asking import Prompting
from envplatform.swe.inducers.llm.inducer import REVISION, PromptedInducer

__all__ = ["REVISION", "PromptedInducer", "Prompting"]
