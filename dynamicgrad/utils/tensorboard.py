"""Training curves for TensorBoard, with PyTorch's names and arguments."""

import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from gradops import OptionError
from gradops.inspection.event_files import summaries
from gradops.inspection.event_files.event_file import EventFile, tensorboardx
from gradops.inspection.event_files.graph_def import graph_def

from ..engine.tensor import Tensor

__all__ = ["SummaryWriter"]


class SummaryWriter:
    """Writes numbers, histograms, pictures, texts and graphs to a file that TensorBoard reads.

    The file is a new one in `log_dir`, which is a folder `runs/` with the time and `comment` if it
    is not given. With `purge_step` TensorBoard forgets what was written for this step and later
    ones: a run that crashed goes on there. The file is flushed every `flush_secs` seconds, by
    `flush` and `close`, and when the program ends. `max_queue` has no effect; PyTorch has it.
    Values are tensors, arrays and numbers. Raises MissingExtraError without tensorboardX, which the
    extra `tensorboard` brings.

    >>> import tempfile
    >>> from dynamicgrad.utils.tensorboard import SummaryWriter
    >>> with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:
    ...     for step in range(3):
    ...         writer.add_scalar("loss", dg.tensor(1 / (1 + step)), step)
    """

    def __init__(
        self, log_dir: str | os.PathLike[str] | None = None, comment: str = "",
        purge_step: int | None = None, max_queue: int = 10, flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:  # fmt: skip
        self.log_dir = os.fspath(log_dir or default_folder(comment))
        self.flush_secs, self.suffix = flush_secs, filename_suffix
        self.files: dict[str, EventFile] = {}
        if purge_step is not None:
            self.purge(purge_step)
        self.file_in(self.log_dir)

    def purge(self, step: int) -> None:
        """Tell TensorBoard to forget what was written for a step and later ones."""
        file = self.file_in(self.log_dir)
        log = file.events.SessionLog(status=file.events.SessionLog.START)
        file.add(file.events.Event(session_log=log), step)

    def file_in(self, folder: str) -> EventFile:
        """The open file in a folder: after `close` a new one, as in PyTorch."""
        if folder not in self.files:
            self.files[folder] = EventFile(folder, self.flush_secs, self.suffix)
        return self.files[folder]

    def write(self, summary: Any, step: Any, walltime: float | None) -> None:
        """Write a summary to the file of this writer."""
        self.file_in(self.log_dir).add_summary(summary, as_step(step), walltime)

    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: int | None = None,
        walltime: float | None = None, new_style: bool = False, double_precision: bool = False,
    ) -> None:  # fmt: skip
        """Write a number, a point of the curve `tag`. Raises ValueError for several numbers.

        With `new_style` it is written as a tensor, of float64 with `double_precision`.
        """
        value = as_array(scalar_value)
        if new_style:
            summary = summaries.typed_scalar(tag, value, double_precision)
        else:
            summary = summaries.scalar(tag, value)
        self.write(summary, global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Any], global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Write a point of each of several curves, which TensorBoard shows in one picture.

        Each curve has a folder of its own, which TensorBoard takes for a run.
        """
        walltime = time.time() if walltime is None else walltime
        for tag, value in tag_scalar_dict.items():
            folder = os.path.join(self.log_dir, f"{main_tag.replace('/', '_')}_{tag}")
            summary = summaries.scalar(main_tag, as_array(value))
            self.file_in(folder).add_summary(summary, as_step(global_step), walltime)

    def add_histogram(
        self, tag: str, values: Any, global_step: int | None = None, bins: Any = "tensorflow",
        walltime: float | None = None, max_bins: int | None = None,
    ) -> None:  # fmt: skip
        """Write how values are distributed; `bins` are TensorFlow's, or as in `numpy.histogram`.

        Raises ValueError if no value is finite.
        """
        summary = summaries.histogram(tag, as_array(values), bins, max_bins)
        self.write(summary, global_step, walltime)

    def add_image(
        self, tag: str, img_tensor: Any, global_step: int | None = None,
        walltime: float | None = None, dataformats: str = "CHW",
    ) -> None:  # fmt: skip
        """Write a picture: bytes, or floats from 0 to 1. `dataformats` names its axes.

        Raises OptionError for axes that are not those of the picture.
        """
        pixels = as_pixels(as_array(img_tensor), dataformats)
        self.write(summaries.image(tag, pixels), global_step, walltime)

    def add_images(
        self, tag: str, img_tensor: Any, global_step: int | None = None,
        walltime: float | None = None, dataformats: str = "NCHW",
    ) -> None:  # fmt: skip
        """Write several pictures side by side; the arguments are those of `add_image`."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Write a text, which TensorBoard shows as Markdown."""
        summary = summaries.text(f"{tag}/text_summary", [text_string])
        self.write(summary, global_step, walltime)

    def add_graph(
        self, model: Callable[..., Any], input_to_model: Any = None, verbose: bool = False,
        use_strict_trace: bool = True,
    ) -> None:  # fmt: skip
        """Write the operations that a call of the model records, for TensorBoard to draw.

        `input_to_model` is its argument, or a tuple of several. Operations are in the scopes of the
        modules that run them. With `verbose` the graph is printed. `use_strict_trace` has no
        effect; PyTorch has it. Raises OptionError if nothing requires a gradient.
        """
        from ..introspection.graph_nodes import graph_nodes

        message = graph_def(graph_nodes(model, () if input_to_model is None else input_to_model))
        if verbose:
            print(message)
        self.file_in(self.log_dir).add_graph(message)

    def add_hparams(
        self, hparam_dict: Mapping[str, Any], metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, Sequence[Any]] | None = None,
        run_name: str | None = None, global_step: int | None = None,
    ) -> None:  # fmt: skip
        """Write the hyperparameters of a run and what came of it, for TensorBoard's table of runs.

        Hyperparameters are numbers, strings and truth values; `hparam_domain_discrete` has the
        values that one may have. Metrics are numbers. It is written to a folder `run_name` below
        that of this writer, by default called by the time.
        """
        values = {k: plain(v) for k, v in hparam_dict.items()}
        metrics = {k: summaries.scalar(k, as_array(v)) for k, v in metric_dict.items()}
        domains = hparam_domain_discrete or {}
        for k, allowed in domains.items():
            require_domain(k, allowed, values)
        file = EventFile(os.path.join(self.log_dir, run_name or str(time.time())))
        described = summaries.hyperparameters(values, metric_dict, domains)
        for summary in [*described, *metrics.values()]:
            file.add_summary(summary, as_step(global_step))
        file.close()

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self.log_dir

    def flush(self) -> None:
        """Write out what is in memory."""
        for file in self.files.values():
            file.flush()

    def close(self) -> None:
        """Write out what is in memory, and close the files. Writing again opens new ones."""
        for file in self.files.values():
            file.close()
        self.files.clear()

    def __enter__(self) -> "SummaryWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


def default_folder(comment: str) -> str:
    """PyTorch's folder for a run: the time, the machine and a comment."""
    moment = time.strftime("%b%d_%H-%M-%S")
    return os.path.join("runs", f"{moment}_{socket.gethostname()}{comment}")


def as_step(step: Any) -> int | None:
    """A step as a number."""
    return None if step is None else int(as_array(step).reshape(()))


def as_array(x: Any) -> np.ndarray[Any, Any]:
    """The values of a tensor, an array, a number, or lists of numbers."""
    return np.asarray(x.detach().numpy() if isinstance(x, Tensor) else x)


def plain(value: Any) -> Any:
    """A hyperparameter as a number, a string or a truth value; raises ValueError for others."""
    if isinstance(value, Tensor | np.ndarray | np.generic):
        value = as_array(value).reshape(()).item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    kind = type(value).__name__
    raise ValueError(f"a hyperparameter is a number, a string or a truth value, not a {kind}")


def require_domain(name: str, allowed: Sequence[Any], values: Mapping[str, Any]) -> None:
    """Refuse the values that a hyperparameter may have if they are not such values."""
    if name not in values:
        raise TypeError(f"hparam_domain_discrete has {name!r}, which hparam_dict has not")
    kind = type(values[name])
    if not isinstance(allowed, list) or not all(isinstance(x, kind) for x in allowed):
        raise TypeError(f"hparam_domain_discrete[{name!r}] is a list of {kind.__name__}")


def as_pixels(image: np.ndarray[Any, Any], axes: str) -> np.ndarray[Any, Any]:
    """A picture as bytes by height, width and channels; several of them side by side."""
    letters = axes.upper()
    if sorted(letters) not in map(sorted, ("HW", "CHW", "NCHW")) or image.ndim != len(letters):
        raise OptionError(
            "add_image", [f"{image.dtype}{list(image.shape)}"], f"its axes are not {axes!r}",
            hint="dataformats='HWC' is a picture whose channels come last",
        )  # fmt: skip
    if image.dtype != np.uint8:
        image = np.clip(image * 255.0, 0, 255).astype(np.uint8)
    found: np.ndarray[Any, Any] = tensorboardx("utils").convert_to_HWC(image, letters)
    return found
