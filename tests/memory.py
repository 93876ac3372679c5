"""The most memory that a process of its own took, for tests that start one."""

from __future__ import annotations

from pathlib import Path

import pytest

# Not getrusage: its peak is the parent's where that was larger, and the parent ran other tests.
PEAK = """
def peak():
    return 1024 * int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
"""
needs_peak = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="reads Linux's /proc"
)
