"""Event files: written record by record, and flushed from time to time.

Note [Synchronous]. Records are written by the thread that adds them, into the buffer of the file.
The queues of tensorboardX's own writers go through a pipe between processes, and what is in them
is not in the file after `flush`.
"""

import os
import secrets
import socket
import time
import weakref
from threading import Lock
from typing import Any

from ...core.errors import MissingExtraError


def tensorboardx(module: str) -> Any:
    """A module of tensorboardX; raises MissingExtraError without it."""
    import importlib

    try:
        return importlib.import_module(f"tensorboardX.{module}")
    except ImportError as error:
        raise MissingExtraError("a file of events", "tensorboardX", "tensorboard") from error


class EventFile:
    """A new file of events in a folder, which is made if it is not there.

    The file is flushed when the last flush is `flush_secs` ago, by `flush`, by `close`, and when
    the program ends. Raises MissingExtraError without tensorboardX.
    """

    def __init__(
        self, folder: str | os.PathLike[str], flush_secs: float = 120, suffix: str = ""
    ) -> None:
        self.events = tensorboardx("proto.event_pb2")
        records = tensorboardx("record_writer")
        self.folder, self.flush_secs = os.fspath(folder), flush_secs
        records.directory_check(self.folder)
        self.lock, self.flushed = Lock(), time.monotonic()
        self.writer = records.RecordWriter(os.path.join(self.folder, name_of_file() + suffix))
        self.close = weakref.finalize(self, close, self.writer)
        self.add(self.events.Event(file_version="brain.Event:2"))

    @property
    def is_closed(self) -> bool:
        """True after `close`."""
        return not self.close.alive

    def add(self, event: Any, step: int | None = None, walltime: float | None = None) -> None:
        """Write an event, which happened in a step and at a time in seconds; now, if not given."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        with self.lock:
            self.writer.write(event.SerializeToString())
            if time.monotonic() - self.flushed > self.flush_secs:
                self.write_out()

    def add_summary(
        self, summary: Any, step: int | None = None, walltime: float | None = None
    ) -> None:
        """Write a summary, given as a message of the protocol."""
        self.add(self.events.Event(summary=summary), step, walltime)

    def add_graph(self, graph_def: Any, walltime: float | None = None) -> None:
        """Write a graph, given as a message of the protocol."""
        self.add(self.events.Event(graph_def=graph_def.SerializeToString()), None, walltime)

    def flush(self) -> None:
        """Write out all events; nothing once the file is closed."""
        with self.lock:
            if not self.is_closed:
                self.write_out()

    def write_out(self) -> None:
        """Write out all events, with the lock held."""
        self.writer.flush()
        self.flushed = time.monotonic()


def name_of_file() -> str:
    """A name for a new file that TensorBoard knows, and that no other writer gives."""
    unique = f"{os.getpid()}.{secrets.token_hex(4)}"
    return f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{unique}"


def close(writer: Any) -> None:
    """Write out and close a file of records."""
    writer.flush()
    writer.close()
