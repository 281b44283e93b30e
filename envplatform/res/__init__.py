"""RES: environments made harder level by level, with goal, facts and grader frozen.

Here: operators (`primitives`), plans and the children they make (`plan`, `child`,
`trail`), who plans (`proposers`), what a child must hold to (`verifier`, `checks`,
`replay`), the recursion (`lineage`), how far it got (`measure`). Not here: showing a
content otherwise as such (`workspace`), serving it (`ws`).
"""
