"""The engine for some data, from what the user gives."""

import sys
from typing import Any

from gradops.core.errors import OptionError

from ..blocks import Blocks
from .embedded import Embedded
from .protocol import Engine

EngineLike = Any
"""An engine, a client of Dask, a number of threads, or None."""


def engine_for(given: EngineLike, blocks: Blocks, resident: bool, timeout: float) -> Engine:
    """The engine that is given, or the one that data asks for; raises OptionError for others."""
    client = default_client(blocks) if given is None else given
    if hasattr(client, "scheduler_info"):
        from .dask_tasks import DaskTasks
        from .resident import Resident

        return (Resident if resident else DaskTasks)(client, timeout)
    if resident:
        raise OptionError("distributed", [], "there is no cluster whose workers could be resident",
                          hint="give engine=client, a client of Dask")  # fmt: skip
    if client is None or (type(client) is int and client > 0):
        return Embedded(client)
    if hasattr(client, "reduce"):
        return client
    raise OptionError(
        "distributed", [], f"{given!r} is not an engine",
        hint="give a client of Dask, sg.distributed.mpi(), or a number of threads",
    )  # fmt: skip


def default_client(blocks: Blocks) -> Any:
    """The client of Dask that is in use, for data of Dask; None if there is none."""
    module = sys.modules.get("distributed")
    if module is None or not blocks.are_lazy:
        return None
    try:
        return module.default_client()
    except ValueError:
        return None
