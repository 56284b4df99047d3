"""The result of one library on one row."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass
class Cell:
    """Times in microseconds and seconds, the relative error, memory in MB; or a reason for none.

    `first` is the time of building, compiling and the first call; `warm` the same where compiled
    code is kept on disk, in a process that finds it. `peak` is the resident memory
    of a process above that after imports; `steady` leaves the first call out.
    """

    row: str
    threads: int
    library: str
    us: float | None = None
    low: float | None = None
    high: float | None = None
    first: float | None = None
    warm: float | None = None
    error: float | None = None
    peak: float | None = None
    steady: float | None = None
    reason: str | None = None

    @property
    def key(self) -> tuple[str, int, str]:
        """Row, threads and library."""
        return self.row, self.threads, self.library


def append(path: Path, cells: list[Cell]) -> None:
    """Add a line of JSON for each cell."""
    with path.open("a") as file:
        file.writelines(json.dumps(asdict(c)) + "\n" for c in cells)


def read(path: Path) -> list[Cell]:
    """The cells of a file of lines; none if there is no file."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [Cell(**json.loads(line)) for line in lines]


def turn_file(path: str | Path) -> Path:
    """The file in which a process that measures notes the row and library whose turn it is."""
    return Path(f"{path}.turn")
