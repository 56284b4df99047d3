"""Freed memory is used again without faults, where the allocator is glibc's."""

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import dynamicgrad as dg
import numpy as np

dg.ones(2, requires_grad=True).sum().backward()

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


BEFORE = """
import dynamicgrad as dg
import staticgrad
from gradops.kernels.heap import keep_freed_memory

print(keep_freed_memory.cache_info().currsize)
dg.ones(2, requires_grad=True).sum().backward()
print(keep_freed_memory.cache_info().currsize)
"""


def test_the_first_backward_pass_does_so_and_importing_does_not():
    done = subprocess.run([sys.executable, "-c", BEFORE], capture_output=True, text=True)
    assert done.stdout.split() == ["0", "1"], done.stderr


KEPT = """
import numpy as np
from gradops.kernels.heap import keep_freed_memory

keep_freed_memory()

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

before = resident()
blocks = [np.ones(1 << 17) for _ in range(256)]  # 256 MB
del blocks
print(resident() - before)
"""

SHORT = """
import resource
from gradops.kernels.heap import keep_freed_memory

size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (8 << 20), resource.RLIM_INFINITY))
keep_freed_memory()
print("done")
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators do as they do")
def test_what_is_kept_is_bounded():
    done = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True)
    assert int(done.stdout) < 72 << 20, done.stderr  # glibc's 64 MB, and what is its own


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the size is Linux's to tell")
def test_a_process_that_is_allowed_little_memory_goes_on():
    done = subprocess.run([sys.executable, "-c", SHORT], capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr
