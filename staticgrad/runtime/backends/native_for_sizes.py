"""Executables of the native tier for graphs whose sizes are known only when they run.

Note [Code for sizes]. Machine code is for sizes that are known: loops of few passes are written
out, and arrays have their places. So a graph of unknown sizes is compiled when it is first run with
some, and such versions are kept. A program has few sizes, as a rule: those of a batch and of the
last one. For more than that NumPy's code runs, which is one for all sizes.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import ArrayType, FeedError, GradError
from gradops.native.ir.scalars import NotNative

from ...native.planning.choices import Choices
from ...native.planning.predictions import NUMPY, tier_for
from ...passes.pipeline import Optimized
from ...transform.sizing import sized
from ..feeds import as_feed, sizes_of_feeds
from .native_executable import NativeExecutable

MOST = 16  # versions
Shapes = tuple[tuple[int, ...], ...]


class NativeForSizes(NativeExecutable):
    """A graph compiled for each of the sizes it is run with. See Note [Code for sizes].

    `ir`, `assembly` and `save_object` are of the sizes that came last; they raise FeedError before
    the first run. If it `decides`, NumPy runs the sizes for which machine code is not predicted to
    pay.
    """

    decides = False

    def compiled(self, optimized: Optimized) -> Callable[..., Any]:
        self.versions: dict[Shapes, Callable[..., Any]] = {}
        return self.run_version

    def run_version(self, *args: Any) -> Any:
        """Run the version for the sizes of arrays; NotImplemented for what is not an array."""
        if len(args) != self.count:
            return NotImplemented
        try:
            key = tuple([x.shape for x in args])
        except AttributeError:
            return NotImplemented
        return (self.versions.get(key) or self.version(key, args))(*args)

    def version(self, key: Shapes, args: Sequence[np.ndarray]) -> Callable[..., Any]:
        """A new version, or NumPy's code; raises FeedError for arrays that cannot be fed."""
        inputs = self.written.inputs
        sizes_of_feeds(inputs, [as_feed(e, x) for e, x in zip(inputs, args, strict=True)])
        if len(self.versions) >= MOST:
            return self.run_by_numpy
        try:
            self.versions[key] = self.compiled_for(key)
        except MemoryError:  # for the compiler; NumPy may have enough
            return self.run_by_numpy
        return self.versions[key]

    def compiled_for(self, key: Shapes) -> Callable[..., Any]:
        """The machine code for sizes, or NumPy's code if there is none."""
        pairs = zip(self.written.inputs, key, strict=True)
        try:
            graph = sized(self.written, [ArrayType(shape, e.dtype) for e, shape in pairs])
            self.tier = tier_for(graph) if self.decides else None
            if self.tier is not None and self.tier.way == NUMPY:
                return self.run_by_numpy
            made = NativeExecutable(graph, self.optimize, self.form)
        except (NotNative, GradError):
            return self.run_by_numpy
        self.native = made.native
        return made.run

    def run_by_numpy(self, *args: Any) -> Any:
        """The results of NumPy's code."""
        return self.by_numpy.attempt(args)

    @property
    def choices(self) -> Choices:
        runs_numpy = self.tier is not None and self.tier.way == NUMPY
        has_code = hasattr(self, "native") and not runs_numpy
        return super().choices if has_code else Choices([self.tier] if self.tier else [])

    @property
    def ir(self) -> str:
        self.require_run()
        return super().ir

    @property
    def assembly(self) -> str:
        self.require_run()
        return super().assembly

    def save_object(self, *args: Any, **options: Any) -> None:
        self.require_run()
        super().save_object(*args, **options)

    def require_run(self) -> None:
        """Raise FeedError unless code was compiled for some sizes."""
        if not hasattr(self, "native"):
            hint = "run it: there is machine code for each of the sizes it has run with"
            raise FeedError(f"the sizes of {self!r} are not known\n  hint: {hint}")
