"""Issues: what a user of the package would report of a proven bug.

The writer is blind: `IssueFacts` hold failing behaviour and public documentation, and
have no place for the patch, the changed file, the inducer or its operator. What was
written is then held against the patch by `leaks`, which the writer never sees.

`facts` says what a writer may know, `gather` finds it; `report`, `testcode`, `checks`,
`parameters`, `setup` and `examples` make examples of failing tests; `snippets` prints
code and `safe` makes hostile output harmless; `titles` and `template` word the issue. A model as a writer is a later one; it gets the same facts.
"""

from envplatform.swe.issue.facts import ApiDoc, FailingTest, IssueFacts
from envplatform.swe.issue.gather import gather_facts
from envplatform.swe.issue.leaks import Leak, find_leaks
from envplatform.swe.issue.write import Issue, issue_for, write_issue

__all__ = [
    "ApiDoc",
    "FailingTest",
    "Issue",
    "IssueFacts",
    "Leak",
    "find_leaks",
    "gather_facts",
    "issue_for",
    "write_issue",
]
