"""The roles played by a language model, each in a conversation of its own.

Here: the answers' schemas (`answers`), what each role is told (`prompts`), and the roles.
What a model writes is data: parsed strictly, its programs run in sandboxes only, its
faults are literal texts. Whether it holds, executions decide.
"""

from envplatform.cowork.llm.builder import PromptedBuilder
from envplatform.cowork.llm.constructor import PromptedConstructor
from envplatform.cowork.llm.reviewer import PromptedReviewer

__all__ = ["PromptedBuilder", "PromptedConstructor", "PromptedReviewer"]
