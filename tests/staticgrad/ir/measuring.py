"""Reading a hostile text in a process of its own: the time and the memory that it takes.

Run as a program, it reads texts of the kinds that are named and prints a line for each.
"""

import io
import json
import os
import resource
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.staticgrad.ir.hostile import MANIFESTS, TEXTS, of_ops

ROOT = Path(__file__).parents[3]


class Cost(NamedTuple):
    """The cost of reading a text of a kind: seconds of the processor, and MB in all."""

    kind: str
    seconds: float
    megabytes: float
    outcome: str


def costs(size: int, *kinds: str) -> list[Cost]:
    """The costs of reading texts of about `size` bytes, one after the other in one process."""
    command = [sys.executable, __file__, str(size), *kinds]
    env = os.environ | {"STATICGRAD_NATIVE_KERNELS": "0"}  # which a machine compiles once
    found = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, env=env)
    assert found.returncode == 0, found.stderr[-2000:]
    return [Cost(*json.loads(line)) for line in found.stdout.splitlines()]


def reader(kind: str, size: int):
    """A function that reads a text of a kind, whose making is not counted."""
    import staticgrad as sg

    where, _, name = kind.partition(": ")
    if where == "text":
        text = TEXTS[name](size)
        return lambda: sg.parse(text, limit=size)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("manifest.json", MANIFESTS[name](size - 300))
    return lambda: sg.load(file, limit=size)


def outcome(read) -> str:
    """Whether a text is read, or the first words of its refusal."""
    from gradops import GraphFormatError

    try:
        read()
    except GraphFormatError as error:
        return str(error)
    return "read"


def measure(kind: str, size: int) -> Cost:
    """The cost of reading a text of a kind."""
    read = reader(kind, size)
    began = time.process_time()
    found = outcome(read)
    seconds = time.process_time() - began
    return Cost(kind, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, found)


def measure_ops(size: int) -> Cost:
    """The worst cost of reading a line with an unusual attribute of an op."""
    import staticgrad as sg

    worst = Cost("ops", 0.0, 0.0, "")
    for name, text in of_ops(size):
        began = time.process_time()
        outcome(lambda text=text: sg.parse(text, limit=max(size, len(text))))
        seconds = time.process_time() - began
        if seconds > worst.seconds:
            worst = Cost("ops", seconds, 0.0, name)
    return worst._replace(megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


KINDS = [*(f"text: {name}" for name in TEXTS), *(f"manifest: {name}" for name in MANIFESTS)]

if __name__ == "__main__":
    for kind in sys.argv[2:]:
        found = measure_ops(int(sys.argv[1])) if kind == "ops" else measure(kind, int(sys.argv[1]))
        print(json.dumps(found), flush=True)
