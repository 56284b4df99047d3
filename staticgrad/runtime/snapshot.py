"""Snapshots: the values that the variables of a session had at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The values of variables, by name: arrays that nothing changes. `Session.restore` takes it."""

    values: Mapping[str, np.ndarray[Any, Any]]

    def __repr__(self) -> str:
        return f"<Snapshot of {len(self.values)} variables>"
