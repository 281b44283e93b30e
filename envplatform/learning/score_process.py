"""The process that scores: `python -m envplatform.learning.score_process`.

Speaks `protocol` on its standard streams. The only errors it foresees are those of the
student; it tells them on standard error and ends with code 2.
"""

import os
import sys
from collections.abc import Iterator
from typing import TextIO

from envplatform.errors import StudentError
from envplatform.learning.conversation import Conversation
from envplatform.learning.protocol import CONVERSATION, ORDER, SCORE, STUDENT

NO_STUDENT = 2
"""Exit code: the model can't be used."""


def main() -> None:
    """Score what standard input holds."""
    order = ORDER.validate_json(sys.stdin.readline())
    os.environ["OMP_NUM_THREADS"] = str(order.threads)  # before torch is there
    import torch  # noqa: PLC0415  as above
    import transformers  # noqa: PLC0415

    from envplatform.learning.scoring import score_conversations  # noqa: PLC0415
    from envplatform.learning.student import Student  # noqa: PLC0415

    torch.set_num_threads(order.threads)
    transformers.utils.logging.disable_progress_bar()
    try:
        student = Student.load(order)
    except StudentError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(NO_STUDENT)
    _say(STUDENT.dump_json(student.record))
    for score in score_conversations(student, _conversations(sys.stdin), order):
        _say(SCORE.dump_json(score))


def _conversations(lines: TextIO) -> Iterator[Conversation]:
    for line in lines:
        yield CONVERSATION.validate_json(line)


def _say(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
