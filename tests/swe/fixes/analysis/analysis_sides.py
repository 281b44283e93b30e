from collections.abc import Mapping

from envplatform.patches import diff_trees
from envplatform.swe.fixes.analysis.analyse import analyse
from envplatform.swe.fixes.reverse_patch import Analysis
from envplatform.swe.fixes.sides import Sides
from envplatform.tree import File


def sides_of(
    buggy: Mapping[str, str | bytes], fixed: Mapping[str, str | bytes]
) -> Sides:
    trees = [
        {
            path: File(text.encode() if isinstance(text, str) else text)
            for path, text in side.items()
        }
        for side in (buggy, fixed)
    ]
    return Sides(
        buggy=trees[0],
        fixed=trees[1],
        rung="strict",
        bug_patch=diff_trees(trees[1], trees[0]),
    )


def analysed(
    buggy: str | bytes, fixed: str | bytes, path: str = "package/core.py"
) -> Analysis:
    return analyse(sides_of({path: buggy}, {path: fixed}))


BUGGY = '''"""Totals."""
import os


def total(items, start):
    result = start
    for item in items:
        if item.weight > start:
            result += item.weight * item.count
    return result


class Basket:
    def add(self, item, amount):
        self.items[item.name] = amount
        return len(self.items)
'''
FIXED = BUGGY.replace("item.weight > start", "item.weight >= start").replace(
    "        self.items[item.name] = amount\n",
    "        before = self.items.get(item.name, 0)\n"
    "        self.items[item.name] = before + amount\n"
    "        self.history.append((clock.now(), user.identity, item.name, amount))\n",
)
