"""Draft a target.toml for a repository that has none, and say why it reads as it does.

    declared      what the repository says of itself, in whichever file it says it
    declared_needs  the requirements among it, and groups of them
    requirement_files   requirements*.txt, tox.ini: lists of what the tests need
    setup_file    what a setup.py says in literals; it is parsed, never run
    metadata_file what the PKG-INFO of an sdist says, where there is one
    layout        where code and tests lie
    imports       what code and tests import that is not theirs
    resolve       from what is asked for to exact pins, by pip's own resolver
    draft         all of it together
    text          the file

A guess is a value with a reason; what can't be guessed is said, too. Nothing of the
repository is executed or built.
"""

from envplatform.swe.targets.drafting.draft import Draft, Guess, draft_target
from envplatform.swe.targets.drafting.text import draft_text

__all__ = ["Draft", "Guess", "draft_target", "draft_text"]
