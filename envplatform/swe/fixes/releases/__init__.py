"""Fixes whose files are in releases on a package index, not in a history.

    collection   data/fixes/tests4py.toml: which release holds which side of which fix
    tests4py     that data and the patches of Tests4Py -> instances; the offline default
    history      the files of a release, for instances that name one
    index        which releases of a package there are, and their archives
    pairs        consecutive releases of a package -> instances, one per changed unit
    units        a Python file taken apart into functions, methods and assignments
    evidence     which tests of a release are new or changed, and what they name
    comparison   two releases -> the changed units that a changed test speaks for
    paths        which files of a release are tests
    metadata     repository and licence as a release states them

Archives are fetched as files with their digests checked. Nothing of them is built,
installed, imported or run.
"""

from envplatform.swe.fixes.releases.history import ReleaseHistory
from envplatform.swe.fixes.releases.pairs import ReleasePairs
from envplatform.swe.fixes.releases.tests4py import BuiltinTests4Py

__all__ = ["BuiltinTests4Py", "ReleaseHistory", "ReleasePairs"]
