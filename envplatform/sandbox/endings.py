"""How both sandboxes read an exit status, so that their verdicts agree.

Neither bubblewrap nor Docker tells `exit 137` from a death by signal 9: both give
the shell's figure. It is read as the shell's users do: 129 to 192 are signals.
"""

NOT_RUN = 126
"""Exit code where the command exists and can't be run, or `cwd` is missing."""
NOT_FOUND = 127
"""Exit code where there is no such command."""

_SIGNALS = range(129, 193)


def signal_of(exit_code: int | None) -> int | None:
    """The signal that `exit_code` stands for; None where it is a plain one."""
    if exit_code is None or exit_code not in _SIGNALS:
        return None
    return exit_code - 128
