"""Many states graded in one sandbox: what one leaves behind reaches no other."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from envplatform.bundle import Environment
from envplatform.errors import BundleError
from envplatform.grading import Final, grade_all
from envplatform.sandbox.base import Door, Image, Limits, Sandbox, SandboxProvider
from envplatform.tree import File
from tests.bundle.sample import sample_environment
from tests.fakes import CountingProvider
from tests.grading.made import on

RUNS = b"""#!/bin/sh
# A verifier that runs what the agent left, and scores how clean it finds the place.
seen=$(cat /tmp/left /home/agent/left /dev/shm/left /logs/left /tests/left /solution/left \\
  2>/dev/null | wc -c)
others=$(ls /proc | grep -c '^[0-9]*$')
links=$(find /workspace /tests /tmp -type l | wc -l)
if [ "$seen$links" = 00 ] && [ "$others" -lt 12 ] && [ "$(stat -c %a /tmp)" = 755 ]
then clean=1; else clean=0; fi
sh /workspace/work.sh >/dev/null 2>&1
echo "{\\"reward\\": $clean}" > /logs/verifier/reward.json
"""
MESS = b"""
for place in /tmp /home/agent /dev/shm /logs /tests /solution; do echo x > $place/left; done
ln -s /etc/passwd /tmp/link; mkdir -p /tmp/a/b /home/agent/deep; echo 1 > /tmp/a/b/c
chmod 000 /tmp/a/b /tmp/a; chmod 700 /tmp; rm -f /tests/test.sh
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do (setsid sleep 60 &) ; done
(setsid sh -c 'while :; do echo "{\\"reward\\": 0}" > /logs/verifier/reward.json; done' &)
"""


def running(script: bytes, number: int = 0) -> Final:
    """A state that is like no other of another number: equal ones are graded once."""
    files = {"work.sh": File(script), "number": File(b"%d" % number)}
    return Final(workspace=files, served=None)


def environment(image: Image) -> Environment:
    return on(image, sample_environment(tests={"test.sh": File(RUNS, executable=True)}))


async def test_what_a_state_leaves_behind_does_not_reach_the_next(
    provider: SandboxProvider, bare_image: Image
) -> None:
    counting = CountingProvider(provider)
    scripts = [b"true", MESS, b"true", MESS, b"true"]
    finals = [running(script, number) for number, script in enumerate(scripts)]
    found = await grade_all(
        counting,
        environment(bare_image),
        finals,
        image=bare_image,
        share=True,
    )
    alone = await grade_all(
        provider, environment(bare_image), finals[:1], image=bare_image, share=False
    )
    assert alone[0].reward == 1
    scores = [one.reward for one in found]
    # The messy states' own verdicts are theirs to spoil; the others' are not.
    assert [scores[at] for at in (0, 2, 4)] == [1, 1, 1], found
    assert counting.opened == 1


async def test_a_sandbox_that_can_not_be_wiped_is_not_used_again(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    """A stopped clock, a killed verifier: what follows gets a place of its own."""
    counting = CountingProvider(bubblewrap)
    scripts = [b"kill -9 $PPID", b"true", b"true"]
    finals = [running(script, number) for number, script in enumerate(scripts)]
    found = await grade_all(
        counting, environment(bare_image), finals, image=bare_image, share=True
    )
    assert [one.failure for one in found] == ["verifier_killed", None, None]
    assert counting.opened == 2


class StickyProvider(CountingProvider):
    """Sandboxes of which one folder comes back however often it is wiped."""

    @asynccontextmanager
    async def open(
        self,
        image: Image,
        limits: Limits = Limits(),  # noqa: B008  frozen
        *,
        doors: Sequence[Door] = (),
    ) -> AsyncIterator[Sandbox]:
        """Open one whose wiping leaves something."""
        async with super().open(image, limits, doors=doors) as sandbox:
            real = sandbox.exec

            async def leaving(argv: Sequence[str], **rest: object) -> object:
                done = await real(argv, **rest)  # type: ignore[arg-type]
                if "wipe" in argv:
                    await sandbox.upload({"left": File(b"x")}, "/tmp")  # noqa: S108
                return done

            sandbox.exec = leaving  # type: ignore[method-assign, assignment]
            yield sandbox


async def test_what_is_still_there_after_wiping_ends_the_use_of_a_sandbox(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    sticky = StickyProvider(bubblewrap)
    finals = [running(b"true", number) for number in range(3)]
    found = await grade_all(
        sticky, environment(bare_image), finals, image=bare_image, share=True
    )
    assert [one.reward for one in found] == [1, 1, 1]
    assert sticky.opened == 3


async def test_each_state_has_a_bubblewrap_sandbox_and_containers_are_shared(
    provider: SandboxProvider, bare_image: Image
) -> None:
    counting = CountingProvider(provider)
    finals = [running(b"true", number) for number in range(3)]
    found = await grade_all(counting, environment(bare_image), finals, image=bare_image)
    assert [one.reward for one in found] == [1, 1, 1]
    assert counting.opened == (1 if provider.info.kind == "docker" else 3)
    assert (
        await grade_all(counting, environment(bare_image), [], image=bare_image) == ()
    )


async def test_another_image_is_refused(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    with pytest.raises(BundleError, match="rebuild the image"):
        await grade_all(
            bubblewrap, sample_environment(), [running(b"")], image=bare_image
        )
