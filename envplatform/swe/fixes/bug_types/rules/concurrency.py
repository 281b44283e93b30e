"""Threads, locks, processes, async, callbacks, timeouts."""

import ast

from envplatform.swe.fixes.bug_types.edit import Edit
from envplatform.swe.fixes.bug_types.rules.rule import Rule, unwraps, words, wraps

_SHARED = words(
    """
    threading Thread Lock RLock Semaphore Event Condition Barrier acquire release
    lock multiprocessing Process Pool ThreadPoolExecutor ProcessPoolExecutor
    run_in_executor get_lock is_alive daemon current_thread local notify notify_all
    start_soon
    """
)
_ASYNC = words(
    """
    asyncio create_task ensure_future gather get_event_loop new_event_loop
    run_until_complete call_soon call_soon_threadsafe call_later add_callback
    add_done_callback add_future Future set_result set_exception wait_for Task
    CancelledError coroutine iscoroutine isawaitable TracebackFuture IOLoop cancel
    io_loop spawn_callback run_coroutine_threadsafe set_event_loop nursery
    set_close_callback _maybe_run_close_callback stack_context deferToThread
    """
)
_WAITS = ("timeout", "deadline", "sleep", "backoff")


def _awaited(edit: Edit) -> bool:
    """Something is awaited now, or no longer."""
    around = wraps(edit) or unwraps(edit)
    return isinstance(around, ast.Await) or (
        type(edit.before) is not type(edit.after)
        and edit.kind == "changed"
        and any(
            isinstance(node, ast.AsyncFor | ast.AsyncWith | ast.AsyncFunctionDef)
            for node in (edit.before, edit.after)
        )
    )


def _locked(edit: Edit) -> bool:
    """Code that was there runs under a lock now."""
    return (
        edit.kind == "wrapped"
        and isinstance(edit.after, ast.With | ast.AsyncWith)
        and any("lock" in name.lower() for name in edit.gained)
    )


def _threads_named(edit: Edit) -> bool:
    return bool(edit.reached & _SHARED)


def _loop_named(edit: Edit) -> bool:
    names = edit.gained | edit.lost
    return bool(names & _ASYNC) or any(
        name.endswith(("_future", "_callback", "_lock")) for name in names
    )


def _wait_changed(edit: Edit) -> bool:
    """How long something waits, or that it stops waiting at all."""
    return any(
        word in name.lower() for name in edit.gained | edit.lost for word in _WAITS
    )


RULES = (
    Rule("awaited", "concurrency", 3.8, _awaited),
    Rule("locked", "concurrency", 4.0, _locked),
    Rule("threads_named", "concurrency", 3.0, _threads_named),
    Rule("loop_named", "concurrency", 2.8, _loop_named),
    Rule("wait_changed", "concurrency", 2.2, _wait_changed),
)
