"""A made set in the form of QwenClawBench: one honest task, and what goes wrong with others."""

import textwrap
from pathlib import Path

PROMPT = (
    "Sum the numbers of `data/numbers.txt` into `total.txt`.\n\n```\n## no heading\n```"
)
GRADE = """
def grade(transcript, workspace_path):
    from pathlib import Path
    total = Path(workspace_path) / "total.txt"
    there = total.is_file()
    right = there and total.read_text().strip() == "6"
    return {"there": float(there), "right": 1.0 if right else 0.0}
"""
SAYING = """
def grade(transcript: list, workspace_path: str) -> dict:
    said = [
        block["text"]
        for event in transcript
        if event["message"]["role"] == "assistant"
        for block in event["message"]["content"]
    ]
    clean = not __import__("pathlib").Path(workspace_path, "FINAL_ANSWER.md").exists()
    return {"told": float(clean and any("6" in text for text in said))}
"""
TOOLS = """
def grade(transcript, workspace_path):
    calls = [e for e in transcript if e["message"].get("toolCall")]
    return {"called": float(bool(calls))}
"""

REPOSITORY = """
def grade(transcript, workspace_path):
    from pathlib import Path
    return {"begun": float(Path(workspace_path, ".git", "HEAD").exists())}
"""


def returning(expression: str, *, before: str = "") -> str:
    """A grader that returns one thing, whatever it finds."""
    head = "def grade(transcript, workspace_path):\n"
    return head + textwrap.indent(f"{before}\nreturn {expression}\n", "    ")


FILES = """\
workspace_files:
- source: data/numbers.txt
  dest: data/numbers.txt
- path: notes/inline.md
  content: |
    by hand
"""


def write_task(
    folder: Path, name: str, *, grade: str = GRADE, files: str = FILES, more: str = ""
) -> None:
    """Write one task and the one asset that tasks have."""
    asset = folder / "assets" / name / "data" / "numbers.txt"
    asset.parent.mkdir(parents=True)
    asset.write_text("1\n2\n3\n")
    (folder / "tasks").mkdir(exist_ok=True)
    text = f"""\
---
id: {name}
name: Numbers
grading_type: hybrid
timeout_seconds: 60
grading_weights: {{automated: 0.5, llm_judge: 0.5}}
{files}{more}---
## Prompt

{PROMPT}

## Expected Behavior

`total.txt` holds the sum.

## Automated Checks

```python
{grade}
```

## LLM Judge Rubric

Neatness.
"""
    (folder / "tasks" / f"{name}.md").write_text(text)
