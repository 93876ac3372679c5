"""A function run in a child process that may be killed or crash, for tests that need one."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process")

LONGEST = 120  # seconds


def in_child(function: Callable[[], Any]) -> tuple[Any, int]:
    """Return what a function returns, as JSON keeps it, and the signal that ended its process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(LONGEST)  # a library that hangs is ended, and the test fails
        try:
            os.write(write, json.dumps(function()).encode())
        except BaseException as problem:
            os.write(write, json.dumps(f"raised {problem!r}").encode())
        os._exit(0)
    os.close(write)
    told = b""
    while part := os.read(read, 1 << 16):
        told += part
    os.close(read)
    ended = os.waitpid(child, 0)[1]
    return (json.loads(told) if told else None), os.WTERMSIG(ended) if os.WIFSIGNALED(ended) else 0
