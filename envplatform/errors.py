"""Every exception this library raises on purpose.

EnvPlatformError
├── ConfigError       envplatform.toml or a target.toml is wrong; names file and key
├── StoreError        a stored artefact is missing, damaged or of an unknown version
├── PatchError        a diff does not apply to the tree it was given; `fault` says why
│   └── AmbiguousPatchError       a hunk fits at more than one place
├── BundleError       an environment on disk is incomplete or not what its digest says
├── PlanError         a transformation can't be made as planned; names the step
├── RegistryError     a registry or archive does not give what is pinned; names it
├── TargetError       a target repository can't be prepared; names the target and step
├── FixSourceError    a source or history of fixes can't be read; names it and the step
├── StudentError      a model can't be used to score or train; names file or template
├── TrainingError     a training can't go on as ordered; names what to change
├── LibraryError      a source of material, or what is asked of it, is not there; names it
├── ExportError       what is asked can't be written out; names the folder or the rows
├── SandboxError      the sandbox itself failed; says nothing about the code in it
│   ├── SandboxUnavailableError   no sandbox of the asked kind on this machine
│   └── DownloadTooLargeError     what the code left is too much to take out
└── ModelError        the model server failed; says nothing about the answer
    ├── ContextLengthError   the request is longer than the model can read
    ├── ModelAnswerError     the answer arrived and is unusable, repair turn included
    └── BudgetExceededError  the next call would pass the budget; nothing was sent
"""

from typing import Literal


class EnvPlatformError(Exception):
    """Base class, so that a caller can catch everything from here at once."""


class ConfigError(EnvPlatformError):
    """A configuration file is wrong; the message names file, key and remedy."""


class StoreError(EnvPlatformError):
    """A stored artefact is missing, damaged or of a version unknown here."""


PatchFault = Literal[
    "misfit",
    "ambiguous",
    "malformed",
    "path",
    "binary",
    "symlink",
    "submodule",
    "too_large",
]
"""What is wrong with a diff: it fits nowhere, at several places, or is no diff that can
be read; or it touches a path or a kind of file that is not taken, or is too long.
"""


class PatchError(EnvPlatformError):
    """A diff does not apply to the tree it was given, or leaves it."""

    def __init__(self, message: str, *, fault: PatchFault = "misfit") -> None:
        super().__init__(message)
        self.fault: PatchFault = fault


class AmbiguousPatchError(PatchError):
    """A hunk fits at more than one place, and nothing says which is meant."""

    def __init__(self, message: str) -> None:
        super().__init__(message, fault="ambiguous")


class BundleError(EnvPlatformError):
    """An environment on disk is incomplete or not what its digest says."""


class PlanError(EnvPlatformError):
    """A transformation can't be made as planned; names the step or the field."""


class RegistryError(EnvPlatformError):
    """A registry or an archive does not give what is pinned; names package and step."""


class TargetError(EnvPlatformError):
    """A target repository can't be prepared; names the target and the step."""


class FixSourceError(EnvPlatformError):
    """A source or history of fixes can't be read; names it and what to do."""


class StudentError(EnvPlatformError):
    """A model can't be used to score or train; names the file or the template."""


class TrainingError(EnvPlatformError):
    """A training can't go on as it was ordered; names what to change."""


class LibraryError(EnvPlatformError):
    """A source of material, or what is asked of it, is not there; names it."""


class ExportError(EnvPlatformError):
    """What is asked can't be written out; names the folder or the rows."""


class SandboxError(EnvPlatformError):
    """The sandbox itself failed; says nothing about the code in it. Retryable."""


class SandboxUnavailableError(SandboxError):
    """No sandbox of the asked kind here; the message names what to install."""


class DownloadTooLargeError(SandboxError):
    """What the code left is too much to take out; its own doing, so never retried."""


class ModelError(EnvPlatformError):
    """The model server failed after retries; says nothing about the answer."""


class ContextLengthError(ModelError):
    """The request is longer than the model can read. Ends a rollout, not a run."""


class ModelAnswerError(ModelError):
    """The answer arrived and is unusable, also after the repair turn."""


class BudgetExceededError(ModelError):
    """The next call would pass the budget in tokens or money; nothing was sent."""
