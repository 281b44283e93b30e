"""Issues: what a user of the package would report of a proven bug.

The writer is blind: `IssueFacts` hold failing behaviour and public documentation, and
have no place for the patch, the changed file, the inducer or its operator. What was
written is then held against the patch by `leaks`, which the writer never sees.

`facts` says what a writer may know, `gather` finds it; `report`, `testcode`, `checks`,
`parameters`, `setup` and `examples` make examples of failing tests; `snippets` prints
code and `safe` makes hostile output harmless; `titles` and `template` word the issue.
Where a model writes it gets the same facts: `prompt` asks, `review` looks its text over
(`hidden` says what the tests keep to themselves), `by_model` repairs or falls back.
"""

from envplatform.swe.issue.by_model import ModelWriter, issue_with
from envplatform.swe.issue.facts import ApiDoc, FailingTest, IssueFacts
from envplatform.swe.issue.gather import gather_facts
from envplatform.swe.issue.issue import Issue, WriterName
from envplatform.swe.issue.leaks import Leak, find_leaks
from envplatform.swe.issue.write import issue_for, write_issue

__all__ = [
    "ApiDoc",
    "FailingTest",
    "Issue",
    "IssueFacts",
    "Leak",
    "ModelWriter",
    "WriterName",
    "find_leaks",
    "gather_facts",
    "issue_for",
    "issue_with",
    "write_issue",
]
