"""Keeps freed memory in the process for the next allocations.

Note [Freed memory]. A training step allocates what the step before has freed. glibc gives the end
of its heap back to the system when more of it is free than a threshold: twice the largest block
that was ever mapped on its own and freed, at first 128 KB. Then every page comes back as a fault
at its first use, which takes up to a third of a step. To free a block of 32 MB once, the most to
which glibc adapts its thresholds, ends that, as any program does that frees so large an array;
since the block is never touched, it costs neither memory nor time. The first backward pass and the
first compiled graph do so; importing does not. Other allocators ignore it, and so does glibc where
the user has set thresholds (MALLOC_TRIM_THRESHOLD_ and the like).
"""

import contextlib
import functools

import numpy as np

BLOCK = (32 << 20) - (64 << 10)  # bytes, with room for what the allocator adds


@functools.cache
def keep_freed_memory() -> None:
    """Make the allocator keep up to 64 MB at the end of its heap. See Note [Freed memory]."""
    with contextlib.suppress(MemoryError):  # the process is allowed less than that
        np.empty(BLOCK, np.uint8)
