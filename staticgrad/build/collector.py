"""Python's garbage collector, paused while many objects are made that all stay.

Note [Collector]. The collector looks at all objects again whenever their number has grown by a
quarter, for cycles that nothing refers to any more. A graph of 100,000 expressions is a million
objects, all in use, and expressions refer to older ones only, so it looks in vain: that is a fifth
to a third of the time of differentiating, freezing and compiling. Each of these pauses it and has
it go on, which costs one look. The switch is one of the process: calls in several threads leave it
on if it was, and at worst the first to finish has it go on for all.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector inside a `with` block, if it is on. See Note [Collector]."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
