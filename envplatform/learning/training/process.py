"""The training process: one thread, nothing fetched, progress as JSON lines.

Standard output carries events alone; what libraries print goes to standard error. Under
Dagster Pipes events go through its messages instead. Exit code 2: the message of the
failure is in `error.json` of the work folder, and on standard error.
"""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from envplatform.errors import EnvPlatformError, StudentError, TrainingError
from envplatform.learning.training.messages import Say, open_messages
from envplatform.learning.training.order import TrainingOrder, read_order
from envplatform.learning.training.workfolder import WorkFolder

REFUSED = 2
"""Exit code: the order can't be carried out, and why is said."""
_ALONE, _SECONDS = "--alone", "--seconds="
"""Arguments: end when the process that started this one is gone, or after so long."""
_TOO_LONG = 124


def main() -> None:
    """Carry out the order whose file is the first argument."""
    path = Path(sys.argv[1])
    if _ALONE in sys.argv:
        _end_with_parent()
    for argument in sys.argv[2:]:
        if argument.startswith(_SECONDS):
            _end_after(float(argument.removeprefix(_SECONDS)))
    folder = WorkFolder(path.resolve().parent)
    with open_messages() as say:
        try:
            order = read_order(path)
            _prepare(order)
            _work(order, folder, say)
        except (TrainingError, StudentError) as error:
            _refuse(folder, error)


def _work(order: TrainingOrder, folder: WorkFolder, say: Say) -> None:
    import torch  # noqa: PLC0415  after the environment is set
    import transformers  # noqa: PLC0415  as above

    from envplatform.learning.training.fit import fit  # noqa: PLC0415  as above

    torch.set_num_threads(order.threads)
    transformers.utils.logging.disable_progress_bar()
    fit(order, folder, say)


def _prepare(order: TrainingOrder) -> None:
    """Set what torch and Hugging Face's libraries read when they are imported."""
    os.environ.update(
        {
            "OMP_NUM_THREADS": str(order.threads),
            "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
            "TOKENIZERS_PARALLELISM": "false",
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_OFFLINE": "1",
            "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
        }
    )
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")  # TRL refuses several


def _refuse(folder: WorkFolder, error: EnvPlatformError) -> None:
    folder.write_error(str(error))
    sys.stderr.write(f"{error}\n")
    sys.exit(REFUSED)


def _end_with_parent() -> None:
    """Kill this process, and what it started, when its parent is gone."""
    with suppress(PermissionError):  # it leads its group already
        os.setsid()
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _end_after(seconds: float) -> None:
    timer = threading.Timer(seconds, os._exit, (_TOO_LONG,))
    timer.daemon = True
    timer.start()
