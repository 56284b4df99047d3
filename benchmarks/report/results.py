"""Results as a file, with the machine and the versions that they were measured with."""

import json
import os
import platform
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..measure.cells import Cell

PACKAGES = (
    "numpy", "torch", "jax", "tensorflow-cpu", "pytensor", "numba", "autograd", "casadi",
)  # fmt: skip


@dataclass
class Results:
    """The cells of a run, and its surroundings by name."""

    surroundings: dict[str, str]
    cells: list[Cell]


def surroundings() -> dict[str, str]:
    """Date, machine and versions."""
    machine = {
        "date": date.today().isoformat(), "processor": processor(), "cores": str(os.cpu_count()),
        "python": platform.python_version(),
    }  # fmt: skip
    return machine | {name: found for name in PACKAGES if (found := installed(name))}


def processor() -> str:
    """The processor's name, where Linux tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def installed(package: str) -> str | None:
    """The version of a package; None without it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def save(path: Path, results: Results) -> None:
    """Write the results as JSON, a line for each cell."""
    cells = ",\n".join(json.dumps(asdict(c)) for c in results.cells)
    head = json.dumps(results.surroundings)
    path.write_text(f'{{"surroundings": {head},\n"cells": [\n{cells}\n]}}\n')


def load(path: Path) -> Results:
    """Read what `save` wrote."""
    found = json.loads(path.read_text())
    return Results(found["surroundings"], [Cell(**c) for c in found["cells"]])


def reasons(cells: Iterable[Cell]) -> list[str]:
    """A line for each reason: the rows and libraries that have it."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for c in cells:
        if c.reason and c.reason != "not written":
            reason = re.sub(r" at 0x[0-9a-f]+", "", c.reason)
            rows = by_reason.setdefault((c.library, reason), [])
            rows += [c.row] if c.row not in rows else []
    return [f"{library}, {', '.join(rows)}: {why}" for (library, why), rows in by_reason.items()]
