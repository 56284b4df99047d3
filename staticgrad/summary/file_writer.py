"""The writer of summaries and graphs: a file of events that TensorBoard reads."""

import os
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import FetchError, NotFiniteError
from gradops.inspection.event_files import summaries as protocol
from gradops.inspection.event_files.event_file import EventFile, tensorboardx

from ..ir.expr import Expr
from .summaries import Summary, parts_of

if TYPE_CHECKING:
    from ..build.graph import Graph
    from ..ir.graph import FrozenGraph


class FileWriter:
    """Writes the values of summaries, and graphs, to a new file in a folder that TensorBoard reads.

    It is flushed every `flush_secs` seconds, by `flush` and `close`, and when the program ends.
    `graph`, a graph or a frozen one, is written at once. `max_queue` has no effect; TensorFlow has
    it. Raises MissingExtraError without tensorboardX, which the extra `tensorboard` brings.

    >>> import tempfile
    >>> x = sg.placeholder("float32", [], name="x")
    >>> loss = sg.summary.scalar("loss", x * x)
    >>> with tempfile.TemporaryDirectory() as folder, sg.summary.FileWriter(folder) as writer:
    ...     for step in range(3):
    ...         writer.add_summary(sg.Session().run(loss, {x: 1 / (1 + step)}), step)
    """

    def __init__(
        self, logdir: str | os.PathLike[str], graph: "Graph | FrozenGraph | None" = None,
        max_queue: int = 10, flush_secs: float = 120, graph_def: Any = None,
        filename_suffix: str | None = None, session: Any = None,
    ) -> None:  # fmt: skip
        self.logdir, self.flush_secs = os.fspath(logdir), flush_secs
        self.suffix = filename_suffix or ""
        self.file = EventFile(self.logdir, flush_secs, self.suffix)
        for each in (graph, graph_def, None if session is None else session.graph):
            if each is not None:
                self.add_graph(each)

    def add_summary(self, summary: Any, global_step: int | None = None) -> None:
        """Write the value of a summary, as `session.run` gives it, for a step.

        Raises FetchError for a summary that has not been run, and NotFiniteError for a histogram
        of infinities or NaN.
        """
        if self.is_open("add_summary"):
            self.file.add_summary(as_message(summary), as_step(global_step))

    def add_graph(self, graph: "Graph | FrozenGraph", global_step: int | None = None) -> None:
        """Write a graph, which TensorBoard draws. `global_step` has no effect, as in TensorFlow."""
        from .graph_def import graph_def_of

        if self.is_open("add_graph"):
            self.file.add_graph(graph_def_of(graph))

    def add_event(self, event: Any) -> None:
        """Write an event, given as a message of TensorBoard's protocol."""
        if self.is_open("add_event"):
            self.file.add(event, walltime=event.wall_time or None)

    def is_open(self, method: str) -> bool:
        """True until the writer is closed; then a warning says that nothing is written."""
        if self.file.is_closed:
            warnings.warn(
                f"{method} writes nothing: the FileWriter of {self.logdir!r} is closed"
                "\n  hint: writer.reopen() goes on in a new file", stacklevel=3,
            )  # fmt: skip
        return not self.file.is_closed

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self.logdir

    def flush(self) -> None:
        """Write out what is in memory."""
        self.file.flush()

    def close(self) -> None:
        """Write out what is in memory, and close the file."""
        self.file.close()

    def reopen(self) -> None:
        """After `close`, go on in a new file in the same folder; before it nothing happens."""
        if self.file.is_closed:
            self.file = EventFile(self.logdir, self.flush_secs, self.suffix)

    def __enter__(self) -> "FileWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


def as_step(step: Any) -> int | None:
    """A step as a number; TensorFlow takes the value of its variable, too."""
    return None if step is None else int(np.asarray(step).reshape(()))


def as_message(summary: Any) -> Any:
    """The value of a summary as a message of the protocol; messages, and bytes of them, pass."""
    messages = tensorboardx("proto.summary_pb2")
    if isinstance(summary, bytes):
        return messages.Summary.FromString(summary)
    if not isinstance(summary, Summary):
        if hasattr(summary, "SerializeToString"):
            return messages.Summary.FromString(summary.SerializeToString())
        raise FetchError(f"add_summary takes the value of a summary, not {summary!r}")
    if any(isinstance(value, Expr) for value in parts_of(summary)):
        hint = "writer.add_summary(session.run(summary), step)"
        raise FetchError(f"{summary!r} has no values yet\n  hint: {hint}")
    return message_of(summary, messages.Summary())


def message_of(summary: Summary, message: Any) -> Any:
    """The message, with the values of a summary."""
    for tag, value in summary.scalars.items():
        message.MergeFrom(protocol.scalar(tag, value))
    for tag, value in summary.histograms.items():
        if not np.isfinite(value).all():
            raise NotFiniteError(f"the histogram {tag!r} has values that are not finite")
        message.MergeFrom(protocol.histogram(tag, value))
    for tag, batch in summary.images.items():
        for i, pixels in enumerate(batch):
            each = f"{tag}/image/{i}" if len(batch) > 1 else f"{tag}/image"
            message.MergeFrom(protocol.image(each, as_bytes(pixels)))
    for tag, value in summary.texts.items():
        message.MergeFrom(protocol.text(tag, [bytes(value).decode()]))
    return message


def as_bytes(pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The pixels of a picture as bytes, scaled as TensorFlow scales floats; NaN is black."""
    if pixels.dtype == np.uint8:
        return pixels
    x = np.where(np.isfinite(pixels), pixels, 0.0).astype(np.float64)
    low, high = x.min(initial=0.0), x.max(initial=0.0)
    scale, zero = (127 / max(-low, high), 128) if low < 0 else (255 / high if high else 0, 0)
    return (x * scale + zero).astype(np.uint8)
