"""Checkpoints of training: archives with the variables, the losses and the number of steps.

Nothing in a file is executed: see `gradops/serialization.py`. A file is replaced when the new one
is on the disk, so neither a crash nor a full disk loses the one before.
"""

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gradops import StateError, StateFormatError
from gradops.serialization import Archive, Format, read_archive, write_archive

CHECKPOINT = Format("staticgrad checkpoint", 1, "saved checkpoint", StateFormatError)
NEW = ".new"  # the suffix of a file that is being written


@dataclass
class Checkpoint:
    """Where a training is: after so many steps, with these values of variables, by name.

    `key` says which training it is of: another step, or other blocks, would go on differently.
    """

    key: str
    variables: dict[str, np.ndarray]
    losses: list[float] = field(default_factory=list)

    @property
    def steps(self) -> int:
        """The number of steps taken."""
        return len(self.losses)


def to_bytes(checkpoint: Checkpoint) -> bytes:
    """A checkpoint as the bytes of a file."""
    file = io.BytesIO()
    manifest = {"key": checkpoint.key, "names": list(checkpoint.variables)}
    arrays = [*checkpoint.variables.values(), np.array(checkpoint.losses, np.float64)]
    write_archive(file, CHECKPOINT, manifest, arrays)
    return file.getvalue()


def from_bytes(content: bytes) -> Checkpoint:
    """The checkpoint in the bytes of a file; raises StateFormatError if there is none."""
    result: Checkpoint = read_archive(io.BytesIO(content), CHECKPOINT, decode)
    return result


def decode(archive: Archive, manifest: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint of an archive."""
    key, names = manifest.get("key"), manifest.get("names")
    if not isinstance(key, str) or not isinstance(names, list):
        archive.refuse("its manifest lacks the key or the names")
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        archive.refuse("its names are not those of variables")
    variables = {name: archive.array(i) for i, name in enumerate(names)}
    losses = archive.array(len(names))
    if losses.ndim != 1 or losses.dtype != np.float64:
        archive.refuse("its losses are not a list of numbers")
    return Checkpoint(key, variables, losses.tolist())


def write(path: Path, content: bytes) -> None:
    """Replace a file by one with `content`, once that is on the disk."""
    new = path.with_name(path.name + NEW)
    try:
        with open(new, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def require_same(checkpoint: Checkpoint, start: Checkpoint, path: Path) -> None:
    """Raise StateError unless a checkpoint is one of the training that begins with `start`."""
    types = [
        {name: (a.shape, a.dtype) for name, a in each.variables.items()}
        for each in (checkpoint, start)
    ]
    if checkpoint.key != start.key or types[0] != types[1]:
        raise StateError(
            f"distributed.train: {str(path)!r} is a checkpoint of another training: of another"
            " step, other blocks, or another order of them\n  hint: give another path, or remove it"
        )
