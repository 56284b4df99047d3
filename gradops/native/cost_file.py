"""The cost table of this machine, kept in a file of the user's cache directory.

The first process that needs it measures; of several at the same time, the first to finish wins, and
the others read what it kept: so all choose alike.
"""

import json
import logging
import os
import platform
import tempfile
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from .costs import DEFAULT, CostTable

VARIABLE = "STATICGRAD_COSTS"  # `default`: nothing is measured
VERSION = 1  # of what is measured, and how
LOG = logging.getLogger("staticgrad.native")
PRIVATE = 0o700


@cache
def machine_table() -> CostTable:
    """The table of this machine: read, or measured and kept; else the default figures."""
    if os.environ.get(VARIABLE, "").strip().lower() == "default":
        return DEFAULT
    return load() or measure() or DEFAULT


def path() -> Path | None:
    """The file of this machine and these versions; None without a directory that is ours alone."""
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = home / "staticgrad"
        folder.mkdir(PRIVATE, parents=True, exist_ok=True)
        found = folder.stat()
    except (OSError, RuntimeError):
        return None
    is_ours = found.st_uid == os.getuid() and not found.st_mode & 0o022
    return folder / f"costs-{machine_name()}.json" if is_ours else None


def machine_name() -> str:
    """A hash of the processor, and of the versions of what is measured."""
    versions = []
    for package in ("llvmlite", "scipy"):
        with suppress(PackageNotFoundError):
            versions.append(version(package))
    about = [VERSION, processor(), platform.python_version(), np.__version__, *versions]
    return sha256(repr(about).encode()).hexdigest()[:16]


def processor() -> str:
    """The name and the number of the cores, where the system tells the name."""
    name = platform.machine()
    with suppress(OSError), open("/proc/cpuinfo") as file:
        name = next((line for line in file if line.startswith("model name")), name)
    return f"{name.strip()} {os.cpu_count()}"


def load() -> CostTable | None:
    """The table that was kept; None if there is none that can be read."""
    file = path()
    if file is None:
        return None
    try:
        kept = json.loads(file.read_bytes())
        if kept["checksum"] != checksum(kept["costs"]):
            return None
        return CostTable.from_dict(kept["costs"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def measure() -> CostTable | None:
    """Measure the machine and keep the table; None where one cannot be measured or kept."""
    file = path()
    if file is None:
        return None
    try:
        from .cost_measurement import measured

        found = measured()
    except (
        Exception
    ) as error:  # of the compiler or the system: what is measured can be done without
        LOG.info("the cost table cannot be measured: %s", error)
        return None
    LOG.info("the cost table was measured: %s", file)
    return keep(file, found)


def keep(file: Path, table: CostTable) -> CostTable | None:
    """Write the file unless there is a good one; returns the table that is kept."""
    costs = table.to_dict()
    text = json.dumps({"costs": costs, "checksum": checksum(costs)})
    try:
        if load() is None:
            file.unlink(missing_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as fresh:
            fresh.write(text)
        try:
            with suppress(FileExistsError):
                os.link(fresh.name, file)
        finally:
            os.unlink(fresh.name)
    except OSError as error:
        LOG.info("the cost table cannot be kept: %s", error)
        return None
    return load()


def checksum(costs: object) -> str:
    """A hash of figures."""
    return sha256(json.dumps(costs, sort_keys=True).encode()).hexdigest()


def clear() -> None:
    """Forget the table, in this process and in its file: the next need measures."""
    machine_table.cache_clear()
    file = path()
    if file is not None:
        with suppress(OSError):
            file.unlink()
