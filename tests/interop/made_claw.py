"""The parts that made sets of Claw-Eval-Live share."""

BASE = """\
from abc import ABC
from pathlib import Path
from ..models.task import TaskDefinition
from ..models.trace import DimensionScores

ROOT = Path(__file__).resolve().parents[3]

class AbstractGrader(ABC):
    def final(self, messages):
        said = [m.message.text for m in messages if m.message.role == "assistant"]
        return said[-1] if said else ""
"""
HEAD = """\
from liveclaw_500.graders.base import AbstractGrader
from liveclaw_500.models.trace import DimensionScores

class Grader(AbstractGrader):
    def grade(self, messages, dispatches, task, audit_data=None, judge=None,
              media_events=None, env_snapshot=None):
        text = self.final(messages)
        scores = DimensionScores(robustness=1.0)
"""
