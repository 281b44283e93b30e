"""What attempts at one task say of it: Pass@1, Pass@k, Pass^k. Pure arithmetic."""

from math import comb


def pass_at_k(attempts: int, solved: int, k: int) -> float:
    """Return the chance that one of `k` attempts solves the task; unbiased.

    One less the share of draws of `k` of the attempts, without putting back, that hold
    no solved one (Chen et al., arXiv 2107.03374).

    Raises:
        ValueError: `k` is not from 1 to the number of attempts, or the counts are none.
    """
    _check(attempts, solved, k)
    return 1 - comb(attempts - solved, k) / comb(attempts, k)


def pass_hat_k(attempts: int, solved: int, k: int) -> float:
    """Return the chance that all of `k` attempts solve the task; unbiased.

    The share of draws of `k` of the attempts that are all solved (tau-bench, arXiv
    2406.12045).

    Raises:
        ValueError: as `pass_at_k`.
    """
    _check(attempts, solved, k)
    return comb(solved, k) / comb(attempts, k)


def _check(attempts: int, solved: int, k: int) -> None:
    if not 0 <= solved <= attempts:
        msg = f"{solved} solved of {attempts} attempts are no counts"
        raise ValueError(msg)
    if not 1 <= k <= attempts:
        msg = f"k is {k}, and there are {attempts} attempts: there is no estimate"
        raise ValueError(msg)
