"""Start the processes that measure, and collect their cells."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..columns import NATIVE
from ..rows import BY_KEY
from .cells import Cell, append, read, turn_file
from .limits import too_long

ROOT = Path(__file__).resolve().parents[2]
THREAD_COUNTS = (
    "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
    "NPROC",  # XLA's
    "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS",
)  # fmt: skip
PROBES = 2  # at once
ENDED = "the process ended with {}"
STUCK = "did not return"
LONGEST_TURN = 120  # seconds from which a process is taken to wait for ever
GRACE = 20  # seconds above the limit, for imports, and code that Python cannot interrupt


@dataclass
class Session:
    """A measurement of rows and libraries, with a folder for its files and its caches."""

    rows: list[str]
    libraries: list[str]
    threads: list[int]
    quick: bool
    limit: float
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="benchmarks-")))
    failed: dict[tuple[str, str], str] = field(default_factory=dict)

    def measure(self, parts: Sequence[str]) -> list[Cell]:
        """All cells: first calls and memory from processes of their own, times in turns.

        Without the former, libraries that compile a row for long are left out of it.
        """
        probed = {c.key: c for c in self.probes()} if "memory" in parts else {}
        self.failed = {(c.row, c.library): c.reason for c in probed.values() if c.reason}
        if not probed:
            slow = {(row, name) for row in self.rows for name in BY_KEY[row].slow}
            self.failed = dict.fromkeys(slow, "compiles for too long for this run")
        threads = self.threads if "times" in parts else []
        timed = {c.key: c for n in threads for c in self.times(n)}
        for (row, library), reason in self.failed.items():
            for n in self.threads_of(row) if library in self.libraries else ():
                timed.setdefault((row, n, library), Cell(row, n, library, reason=reason))
        return [merged(timed.get(key), probed.get(key)) for key in {**probed, **timed}]

    def probes(self) -> list[Cell]:
        """A process for each row and library, on the least number of threads."""
        least = {row: min(self.threads_of(row), default=None) for row in self.rows}
        wanted = [(row, library, n) for row, n in least.items() if n for library in self.libraries]
        self.once.touch()  # made before anything else runs
        with ThreadPoolExecutor(PROBES) as pool:
            return list(pool.map(lambda one: self.probe(*one), wanted))

    def probe(self, row: str, library: str, threads: int) -> Cell:
        """The cell of one process; with a reason if it dies or takes too long."""
        cache = self.fresh_cache(f"{row} {library}")
        cell = self.probed_cell(row, library, threads, cache)
        if library == NATIVE and cell.first is not None:
            cell.warm = self.probed_cell(row, library, threads, cache).first
        say(cell)
        return cell

    def probed_cell(self, row: str, library: str, threads: int, cache: Path) -> Cell:
        """The cell of one process, with a cache of machine code."""
        out = self.folder / f"{row} {library}.jsonl"
        out.unlink(missing_ok=True)
        orders = {"row": row, "library": library, "threads": threads, "limit": self.limit}
        ended = self.probed(threads, orders | {"out": str(out)}, cache)
        return (read(out) or [Cell(row, threads, library, reason=ended)])[0]

    def fresh_cache(self, name: str) -> Path:
        """A folder for machine code that has only what a machine compiles once."""
        folder = self.folder / "caches" / name
        folder.mkdir(parents=True, exist_ok=True)
        for file in self.once.iterdir():
            shutil.copy2(file, folder)
        return folder

    @cached_property
    def once(self) -> Path:
        """A folder with the cost table of this machine, and the library of kernels."""
        folder = self.folder / "once"
        folder.mkdir()
        environment = self.environment(1) | {"STATICGRAD_CACHE": str(folder)}
        command = [sys.executable, "-m", f"{__package__}.once"]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
        return folder

    def times(self, threads: int) -> list[Cell]:
        """The cells of a process for all rows; it is started again if it ends before the last.

        A library that does not return is left out of the row.
        """
        out, rows = self.folder / f"times-{threads}.jsonl", self.rows_on(threads)
        while rows:
            orders = {
                "rows": rows, "libraries": self.libraries, "threads": threads, "out": str(out),
                "quick": self.quick, "limit": self.limit, "skipped": list(self.failed),
            }  # fmt: skip
            ended = self.watched(threads, orders)
            done = {c.row for c in read(out)}
            rows = [row for row in rows if row not in done]
            if rows and ended == STUCK:
                row, library = turn_file(out).read_text().splitlines()
                self.failed[row, library] = STUCK
            elif rows and ended != ENDED.format(0):
                lost = [Cell(rows[0], threads, name, reason=ended) for name in self.libraries]
                append(out, lost)
                rows = rows[1:]
        return read(out)

    def watched(self, threads: int, orders: Any) -> str:
        """Run a worker, and say how it ended; it is killed when a turn takes too long."""
        command = [sys.executable, "-m", f"{__package__}.worker", json.dumps(orders)]
        turn = turn_file(orders["out"])
        turn.touch()
        environment, quiet = self.environment(threads), subprocess.DEVNULL
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=quiet) as worker:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    return ENDED.format(worker.wait(LONGEST_TURN / 4))
                if time.time() - turn.stat().st_mtime > LONGEST_TURN:
                    worker.kill()
                    return STUCK

    def probed(self, threads: int, orders: Any, cache: Path) -> str:
        """Run a probe to its end, and say how it ended."""
        command = [sys.executable, "-m", f"{__package__}.probe", json.dumps(orders)]
        try:
            ended = subprocess.run(
                command, cwd=ROOT, timeout=self.limit + GRACE,
                env=self.environment(threads) | {"STATICGRAD_CACHE": str(cache)},
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return too_long(self.limit)
        return ENDED.format(ended.returncode)

    def environment(self, threads: int) -> dict[str, str]:
        """Threads for every library, and caches of compiled code that start empty.

        Modules are compiled once, as where they are installed.
        """
        n = str(threads)
        usual = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        return usual | dict.fromkeys(THREAD_COUNTS, n) | {
            "XLA_FLAGS": f"--xla_cpu_multi_thread_eigen={str(threads > 1).lower()}",
            "STATICGRAD_CACHE": str(self.folder / "staticgrad"),
            "TORCHINDUCTOR_CACHE_DIR": str(self.folder / "inductor"),
            "PYTENSOR_FLAGS": f"base_compiledir={self.folder / 'pytensor'}",
            "NUMBA_CACHE_DIR": str(self.folder / "numba"),
            "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": "",
            "PYTHONPATH": str(ROOT),
        }  # fmt: skip

    def threads_of(self, row: str) -> list[int]:
        """The numbers of threads that a row is measured on."""
        return [n for n in BY_KEY[row].threads if n in self.threads]

    def rows_on(self, threads: int) -> list[str]:
        """The rows that are measured on that many threads."""
        return [row for row in self.rows if threads in BY_KEY[row].threads]


def merged(timed: Cell | None, probed: Cell | None) -> Cell:
    """Times of one cell, first call and memory of the other."""
    if timed is None or probed is None:
        cell = timed or probed
        assert cell is not None
        return cell
    timed.first, timed.warm = probed.first, probed.warm
    timed.peak, timed.steady = probed.peak, probed.steady
    return timed


def say(cell: Cell) -> None:
    """Progress of a probe."""
    text = cell.reason or f"first call {cell.first:.2f} s, peak {cell.peak:.0f} MB"
    print(f"  {cell.row}, {cell.library}: {text}", file=sys.stderr, flush=True)
