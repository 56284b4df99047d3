"""The cost table of this machine, kept in a file beside the machine code.

The first process that needs the table measures; of several at the same time, the first to finish
wins, and the others read what it kept: so all choose alike.
"""

import json
import os
import sys
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np

from ...core.environment import word
from ..objects import cache_files
from ..objects.fingerprint import compiler, library_of_numpy, processor
from .figures import DEFAULT, CostTable

VARIABLE = "STATICGRAD_COSTS"
WORDS = "default", "measured"  # by default, measured
VERSION = 2  # of what is measured, and how


@cache
def machine_table() -> CostTable:
    """The table of this machine: read, or measured and kept; else the default figures."""
    if word(VARIABLE, WORDS) == "default":
        return DEFAULT
    return load() or measure() or DEFAULT


def log(text: str, value: object) -> None:
    """Log a message, if somebody listens."""
    logging: Any = sys.modules.get("logging")  # who listens has imported it
    if logging is not None:
        logging.getLogger("staticgrad.native").info(text, value)


def file_name() -> str:
    """The name of the file for this processor, and the versions of what is measured."""
    about = [
        VERSION,
        os.cpu_count(),
        *processor(),
        *compiler(),
        *library_of_numpy(),
        np.__version__,
    ]
    return f"costs-{sha256(repr(about).encode()).hexdigest()[:32]}.json"


def load() -> CostTable | None:
    """The table that was kept; None if there is none that can be read."""
    data = cache_files.read(file_name())
    try:
        return None if data is None else CostTable.from_dict(json.loads(data))
    except ValueError:
        return None


def measure() -> CostTable | None:
    """Measure the machine and keep the table; None where one cannot be measured or kept."""
    with cache_files.open_directory() as directory:
        if directory is None:
            return None
    try:
        from .measurement import measured

        found = measured()
    except Exception as error:  # of LLVM or the system; the default figures do
        log("the cost table cannot be measured: %s", error)
        return None
    return keep(found)


def keep(table: CostTable) -> CostTable | None:
    """Write the file unless there is a good one; returns the table that is kept."""
    found = load()
    if found is None:
        cache_files.write(file_name(), json.dumps(table.to_dict()).encode())
        found = load()
    log("the cost table %s", "is kept" if found else "cannot be kept")
    return found


def clear() -> None:
    """Forget the table, in this process and in its file: the next need measures."""
    machine_table.cache_clear()
    cache_files.remove(file_name())
