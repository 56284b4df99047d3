"""A library: its name, and how it runs a workload."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..workload import Arrays, Run, Workload


class Refusal(Exception):
    """A library does not run a workload; the text says why."""


@dataclass(frozen=True)
class Library:
    """A column: the module that runs workloads, and its options.

    The module has `build(workload, params, data, **options)`, which returns a function without
    arguments; it computes the request, and is done when it returns. `arrays` in it converts the
    results, `CHANNELS_LAST` says which order of axes images have.
    """

    name: str
    package: str
    module: str
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def installed(self) -> bool:
        """True if the package can be imported."""
        return find_spec(self.package) is not None

    @property
    def adapter(self) -> Any:
        """The module, which imports the library."""
        return importlib.import_module(f".{self.module}", __package__)

    def build(self, workload: Workload, params: Arrays, data: Arrays) -> Run:
        """The workload as a function without arguments; raises Refusal."""
        if reason := workload.without.get(self.name) or workload.without.get(self.package):
            raise Refusal(reason)
        inputs, n = [*params, *data], len(params)
        if self.channels_last:
            for i, axes in orders(workload).items():
                inputs[i] = np.ascontiguousarray(inputs[i].transpose(axes))
        return self.adapter.build(workload, inputs[:n], inputs[n:], **dict(self.options))

    @property
    def channels_last(self) -> bool:
        """True if images have the axes (n, height, width, channels)."""
        return getattr(self.adapter, "CHANNELS_LAST", False) and self.name != "sg.function"

    def arrays(self, workload: Workload, results: Sequence[Any]) -> Arrays:
        """The results as NumPy arrays, images with the axes of the workload."""
        found = [np.array(a) for a in self.adapter.arrays(results)]
        for i, axes in orders(workload).items() if self.channels_last else ():
            if i + 1 < len(found):
                found[i + 1] = found[i + 1].transpose(np.argsort(axes))
        return found


def orders(workload: Workload) -> dict[int, tuple[int, ...]]:
    """For each image and kernel the axes that have channels last."""
    images = dict.fromkeys(workload.images, (0, 2, 3, 1))
    return images | dict.fromkeys(workload.kernels, (2, 3, 1, 0))


def request(workload: Workload, requests: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    """The entry for the request; raises Refusal."""
    if workload.request not in requests:
        raise Refusal(f"no {workload.request}")
    return requests[workload.request]
