"""By what a work folder knows that an order is still the one it began with. No torch."""

import hashlib

from envplatform.learning.training.order import ORDER, TrainingOrder
from envplatform.learning.training.record import BaseModel
from envplatform.learning.training.rows import rows_digest


def identity_of(order: TrainingOrder, base: BaseModel) -> str:
    """SHA-256 (hex) over an order and what its paths lead to.

    Raises:
        TrainingError: the rows can't be read.
    """
    whole = hashlib.sha256(ORDER.dump_json(order))
    whole.update(f"\n{base.digest}\n{rows_digest(order.rows)}".encode())
    return whole.hexdigest()
