"""The filter of system calls, run step by step as the kernel would."""

import struct

import pytest

from envplatform.sandbox.inside.seccomp import filter_program

ALLOWED, EPERM, ENOSYS, NO_FAMILY = 0x7FFF0000, 0x50001, 0x50026, 0x50061
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
SOCKET = {"x86_64": 41, "aarch64": 198}
KEYCTL = {"x86_64": 250, "aarch64": 219}
READ = {"x86_64": 0, "aarch64": 63}


def verdict(
    machine: str,
    number: int,
    first: int = 0,
    *,
    architecture: int = 0,
    shared_memory: bool = True,
) -> int:
    """What the filter returns for one call."""
    program = filter_program(machine, shared_memory=shared_memory)
    steps = [
        struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)
    ]
    data = {0: number, 4: architecture or ARCHITECTURE[machine], 16: first}
    at, value = 0, 0
    while True:
        code, then, otherwise, operand = steps[at]
        at += 1
        if code == 0x20:
            value = data[operand]
        elif code == 0x06:
            return int(operand)
        else:
            holds = value == operand if code == 0x15 else value >= operand
            at += then if holds else otherwise


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_calls_are_allowed_refused_or_unknown(machine: str) -> None:
    assert verdict(machine, READ[machine]) == ALLOWED
    assert verdict(machine, 424) == ALLOWED
    for number in (KEYCTL[machine], 425, 426, 427, 428, 433, 442):
        assert verdict(machine, number) == EPERM
    assert verdict(machine, 0x40000000) == ENOSYS
    assert verdict(machine, READ[machine], architecture=0x40000003) == EPERM


@pytest.mark.parametrize(("machine", "shmget"), [("x86_64", 29), ("aarch64", 194)])
def test_memory_of_nobody_is_refused_where_it_is_not_counted(
    machine: str, shmget: int
) -> None:
    assert verdict(machine, shmget) == ALLOWED
    assert verdict(machine, shmget, shared_memory=False) == EPERM
    assert verdict(machine, READ[machine], shared_memory=False) == ALLOWED


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_sockets_are_allowed_by_family(machine: str) -> None:
    allowed = [n for n in range(60) if verdict(machine, SOCKET[machine], n) == ALLOWED]
    assert allowed == [1, 2, 10, 16]
    assert verdict(machine, SOCKET[machine], 40) == NO_FAMILY


def test_an_unknown_machine_has_no_filter() -> None:
    assert filter_program("riscv64") == b""
