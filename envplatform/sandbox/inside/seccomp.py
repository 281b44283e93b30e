"""System calls that no sandboxed code needs and no namespace covers, as a filter.

Classic BPF for the kernel's seccomp, by hand: a few comparisons don't need libseccomp.
Above all sockets: a network namespace does not cover AF_VSOCK, through which code in a
virtual machine would reach its host. Both sandboxes use the same filter; Docker's own
profile, where the engine has one, comes on top.
"""

from __future__ import annotations

import ctypes
import struct

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_X32 = 0x40000000
"""From here on, numbers are of another way to call on x86."""
_FAMILIES = (1, 2, 10, 16)
"""Unix, IPv4, IPv6 and netlink, the last to list one's own interfaces."""
_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _MODE_FILTER = 22, 38, 2

_SAME_EVERYWHERE = (
    *range(425, 434),  # io_uring, open_tree, move_mount, fsopen .. fspick
    442,  # mount_setattr
)
_REFUSED = {
    "x86_64": (
        *(
            155,
            163,
            165,
            166,
            167,
            168,
            169,
        ),  # pivot_root acct mount umount swap reboot
        *(172, 173, 175, 176, 179, 212),  # iopl ioperm (de)init_module quotactl dcookie
        *(246, 248, 249, 250, 272, 298),  # kexec keys(3) unshare perf_event_open
        *(
            304,
            308,
            313,
            320,
            321,
            323,
        ),  # open_by_handle setns finit kexec bpf userfault
        *_SAME_EVERYWHERE,
    ),
    "aarch64": (
        *(
            18,
            39,
            40,
            41,
            60,
            89,
            97,
        ),  # dcookie umount mount pivot_root quotactl acct ..
        *(104, 105, 106, 142),  # kexec (de)init_module reboot
        *(217, 218, 219, 224, 225, 241),  # keys(3) swap(2) perf_event_open
        *(
            265,
            268,
            273,
            280,
            282,
            294,
        ),  # open_by_handle setns finit bpf userfault kexec
        *_SAME_EVERYWHERE,
    ),
}
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SOCKET = {"x86_64": 41, "aarch64": 198}
_SHMGET = {"x86_64": 29, "aarch64": 194}


def filter_program(machine: str, *, shared_memory: bool = True) -> bytes:
    """The filter for a machine (`os.uname().machine`); empty where we have none.

    Without `shared_memory`, segments that belong to no process are refused, for where
    memory is counted by process.
    """
    if machine not in _AUDIT:
        return b""
    refused = [*_REFUSED[machine]]
    if not shared_memory:
        refused.append(_SHMGET[machine])
    program = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, _AUDIT[machine], otherwise=0, then=1),
        _step(_RETURN, _ERRNO | _EPERM),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, _X32, then=0, otherwise=1),
        _step(_RETURN, _ERRNO | _ENOSYS),
    ]
    for number in refused:
        program += [
            _step(_EQUAL, number, then=0, otherwise=1),
            _step(_RETURN, _ERRNO | _EPERM),
        ]
    families = len(_FAMILIES)
    program += [
        _step(_EQUAL, _SOCKET[machine], then=0, otherwise=families + 2),
        _step(_LOAD, _FIRST_ARGUMENT),
    ]
    for left, family in zip(range(families, 0, -1), _FAMILIES):  # noqa: B905  Python 3.7
        program.append(_step(_EQUAL, family, then=left, otherwise=0))
    program += [_step(_RETURN, _ERRNO | _EAFNOSUPPORT), _step(_RETURN, _ALLOW)]
    return b"".join(program)


def _step(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction; a comparison skips so many of the next ones."""
    return struct.pack("=HBBI", code, then, otherwise, value)


class _Program(ctypes.Structure):
    """The kernel's `struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def apply(machine: str) -> None:
    """Put this process, and what it becomes, under the filter.

    Raises:
        OSError: the kernel refused.
    """
    code = filter_program(machine)
    if not code:
        return
    steps = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or (
        libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0) != 0
    ):
        raise OSError(ctypes.get_errno(), "the system call filter was refused")
