"""Code that wants out: to the network, to the host's files, processes and powers."""

import json
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.sandbox.base import WRITABLE, Image, Sandbox, SandboxProvider
from tests.sandbox.host import LIMITS, python

CONNECT = """
import socket, sys
kind, address = sys.argv[1], sys.argv[2]
if kind == 'tcp':
    host, port = address.rsplit(':', 1)
    family, target = socket.AF_INET, (host, int(port))
else:
    family, target = socket.AF_UNIX, chr(0) + address
try:
    with socket.socket(family) as sock:
        sock.settimeout(5)
        sock.connect(target)
    print('connected')
except OSError as error:
    print(type(error).__name__)
"""
WRITE = """
import os, sys
for path in sys.argv[1:]:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
        print(path)
    except OSError:
        pass
"""

FORBIDDEN = [
    "/x",
    "/usr/x",
    "/usr/bin/python3",
    "/usr/local/x",
    "/etc/x",
    "/etc/passwd",
    "/opt/x",
    "/opt/bin/python3",
    "/opt/site/x",
    "/home/x",
    "/dev/x",
    "/run/x",
    "/var/x",
    "/sys/x",
    "/boot/x",
    "/root/x",
    "/srv/x",
    "/proc/sysrq-trigger",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/vm/drop_caches",
]


@contextmanager
def listening(
    family: int, address: object
) -> Iterator[tuple[socket.socket, list[int]]]:
    """A service of the host, and a list that grows with its visitors."""
    visitors: list[int] = []
    with socket.socket(family) as server:
        server.bind(address)  # type: ignore[arg-type]  # of either family
        server.listen()
        server.settimeout(0.1)
        stop = threading.Event()

        def serve() -> None:
            while not stop.is_set():
                try:
                    visitor, _ = server.accept()
                except TimeoutError:
                    continue
                visitors.append(1)
                visitor.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server, visitors
        finally:
            stop.set()
            thread.join()


async def test_services_of_the_host_are_out_of_reach(sandbox: Sandbox) -> None:
    with listening(socket.AF_INET, ("127.0.0.1", 0)) as (server, visitors):
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), timeout=5).close()  # it listens
        result = await python(sandbox, CONNECT, "tcp", f"127.0.0.1:{port}")
    assert result.stdout == b"ConnectionRefusedError\n"
    assert len(visitors) == 1


async def test_abstract_sockets_of_the_host_are_out_of_reach(sandbox: Sandbox) -> None:
    name = f"envplatform-test-{uuid.uuid4().hex}"
    with listening(socket.AF_UNIX, f"\0{name}") as (_, visitors):
        with socket.socket(socket.AF_UNIX) as visitor:
            visitor.connect(f"\0{name}")  # it listens
        result = await python(sandbox, CONNECT, "unix", name)
    assert result.stdout == b"ConnectionRefusedError\n"
    assert len(visitors) == 1


@pytest.mark.parametrize(
    "address", ["192.0.2.1:80", "169.254.169.254:80", "10.0.0.1:53"]
)
async def test_there_is_no_way_to_any_network(sandbox: Sandbox, address: str) -> None:
    result = await python(sandbox, CONNECT, "tcp", address)
    assert result.stdout == b"OSError\n"  # unreachable at once, not a time-out


async def test_the_machine_below_is_out_of_reach(sandbox: Sandbox) -> None:
    """A network namespace alone does not cover AF_VSOCK."""
    code = """
import socket
made = []
for family in range(1, 50):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try: socket.socket(family, kind).close()
        except OSError: continue
        made.append(family)
print(sorted(set(made)))
"""
    result = await python(sandbox, code)
    assert result.stdout == b"[1, 2, 10, 16]\n"


async def test_names_are_not_resolved(sandbox: Sandbox) -> None:
    code = "import socket; socket.getaddrinfo('example.org', 80)"
    result = await python(sandbox, code)
    assert b"gaierror" in result.stderr


async def test_loopback_inside_works(sandbox: Sandbox) -> None:
    """Honest tests start servers of their own."""
    code = """
import socket
server = socket.create_server(('127.0.0.1', 0))
socket.create_connection(server.getsockname()).close()
print('served')
"""
    assert (await python(sandbox, code)).stdout == b"served\n"


async def test_files_of_the_host_are_not_there(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("host secret", encoding="utf-8")
    secret.chmod(0o644)
    assert secret.read_text(encoding="utf-8") == "host secret"
    code = """
import pathlib, sys
for path in map(pathlib.Path, sys.argv[1:]):
    try:
        print(path, path.read_bytes() if path.is_file() else list(path.iterdir()))
    except OSError:
        pass
"""
    wanted = [str(secret), str(Path.home()), "/root", "/etc/shadow", "/run/docker.sock"]
    wanted += ["/var/run/docker.sock", "/proc/1/root/etc/shadow"]
    result = await python(sandbox, code, *wanted)
    assert (result.exit_code, result.stdout) == (0, b"")


async def test_environment_of_the_host_is_not_there(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = uuid.uuid4().hex
    monkeypatch.setenv("ENVPLATFORM_TEST_SECRET", secret)
    code = """
import os, pathlib
print(dict(os.environ))
for path in pathlib.Path('/proc').glob('[0-9]*/*'):
    if path.name in ('environ', 'cmdline', 'auxv'):
        try: print(path, path.read_bytes())
        except OSError: pass
"""
    result = await python(sandbox, code)
    assert result.exit_code == 0
    assert b"LANG" in result.stdout
    assert secret.encode() not in result.stdout
    assert b"pytest" not in result.stdout


async def test_a_fresh_execution_sees_its_own_processes_only(sandbox: Sandbox) -> None:
    code = "import os, json; print(json.dumps([n for n in os.listdir('/proc') if n.isdigit()]))"
    result = await python(sandbox, code)
    assert len(json.loads(result.stdout)) == 2  # the sandbox's first process, and this


async def test_only_the_writable_places_can_be_written(sandbox: Sandbox) -> None:
    allowed = [f"{place}/x" for place in WRITABLE]
    result = await python(sandbox, WRITE, *FORBIDDEN, *allowed)
    assert result.stdout.decode().split() == allowed


async def test_code_has_no_powers_and_gains_none(sandbox: Sandbox) -> None:
    status = (await sandbox.exec(["cat", "/proc/self/status"])).stdout.decode()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    assert {int(fields[f"Cap{kind}"], 16) for kind in ("Eff", "Prm", "Bnd", "Amb")} == {
        0
    }
    assert fields["NoNewPrivs"].strip() == "1"
    assert fields["Uid"].split() == ["1000"] * 4
    assert fields["Groups"].split() in ([], ["1000"])


ATTEMPT = """
import ctypes, os, stat, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
try:
    exec(sys.argv[1])
    print('done')
except OSError as error:
    print('refused', error.errno)
"""


@pytest.mark.parametrize(
    "attempt",
    [
        "os.setuid(0)",
        "os.chroot('/workspace')",
        "os.mknod('/tmp/disk', stat.S_IFBLK | 0o600, os.makedev(254, 0))",
        "os.chown('/tmp', 0, 0)",
        "call('unshare', 0x10000000)",  # a user namespace, to be root in
        "call('unshare', 0x20000)",  # a mount namespace
        "call('mount', b'none', b'/tmp', b'tmpfs', 0, None)",
        "call('setns', os.open('/proc/1/ns/mnt', os.O_RDONLY), 0)",
        "call('sethostname', b'x', 1)",
        # keyctl: keys of the host's session
        "call('syscall', 250 if os.uname().machine == 'x86_64' else 219, 0, -3, 1)",
        "call('syscall', 425, 8, ctypes.create_string_buffer(120))",  # io_uring_setup
    ],
)
async def test_powers_are_refused(sandbox: Sandbox, attempt: str) -> None:
    result = await python(sandbox, ATTEMPT, attempt)
    assert result.stdout.startswith(b"refused"), result


@pytest.mark.docker
@pytest.mark.parametrize(
    "attempt",
    [
        "call('ptrace', 16, 1, None, None)",  # to attach
        "open('/proc/1/mem', 'rb')",
        "os.open('/proc/1/fd/1', os.O_WRONLY)",  # the answers to the platform
        "os.open('/proc/1/fd/0', os.O_RDONLY)",  # its questions
        "os.readlink('/proc/1/exe')",
    ],
)
async def test_the_first_process_of_a_container_can_not_be_looked_into(
    docker_provider: SandboxProvider, docker_image: Image, attempt: str
) -> None:
    """It is ours, and what it says is believed."""
    async with docker_provider.open(docker_image, LIMITS) as sandbox:
        result = await python(sandbox, ATTEMPT, attempt)
    assert result.stdout.startswith(b"refused"), result


async def test_tracing_bubblewraps_first_process_harms_nobody_else(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    """There it is no part of the platform: code may only waste its own time."""
    attempt = "call('ptrace', 16, 1, None, None); os.kill(os.getpid(), 9)"
    async with bubblewrap.open(bare_image, replace(LIMITS, wall_s=1)) as sandbox:
        result = await python(sandbox, ATTEMPT, attempt)
        assert result.exit_code is None
        assert (await sandbox.exec(["true"])).exit_code == 0


async def test_a_setuid_program_stays_harmless(sandbox: Sandbox) -> None:
    script = "cp /usr/bin/id /tmp/id && chmod 4755 /tmp/id && /tmp/id -u"
    result = await sandbox.exec(["sh", "-c", script])
    assert result.stdout == b"1000\n"


@pytest.mark.parametrize("number", [1, 2, 9, 10, 15, 17, 19])
async def test_the_first_process_can_not_be_killed(
    sandbox: Sandbox, number: int
) -> None:
    code = """
import os, sys, time
try: os.kill(1, int(sys.argv[1]))
except PermissionError: pass
time.sleep(0.3)
os.kill(1, 0)
print('still there')
"""
    result = await python(sandbox, code, str(number))
    assert (result.ending, result.stdout) == ("exited", b"still there\n")
    assert (await sandbox.exec(["true"])).exit_code == 0


async def test_killing_everybody_kills_nobody_else(sandbox: Sandbox) -> None:
    code = """
import os, time
if not os.fork(): time.sleep(60)
os.kill(-1, 9)
print(os.wait()[1])
"""
    result = await python(sandbox, code)
    assert (result.ending, result.stdout) == ("exited", b"9\n")
    assert (await sandbox.exec(["true"])).exit_code == 0


async def test_no_descriptor_is_inherited(sandbox: Sandbox) -> None:
    code = "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"
    result = await python(sandbox, code)
    assert result.stdout == b"[0, 1, 2, 3]\n"  # 3 is the listing itself
