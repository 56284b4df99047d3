"""Freed memory is used again without faults, where the allocator is glibc's."""

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import gradops
import numpy as np

def step():
    blocks = [np.ones(1 << 18, np.float32) for _ in range(8)]  # 8 MB

for _ in range(5):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators do as they do")
def test_a_step_that_allocates_what_the_last_one_freed_has_no_faults():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert int(done.stdout) < 2000, done.stderr  # of 20 * 2048 pages
