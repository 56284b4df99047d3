"""Executables of the native tier for graphs whose sizes are known only when they run.

Note [Code for sizes]. Machine code is for sizes that are known: loops of few passes are written
out, and arrays have their places. So a graph of unknown sizes is compiled when it is first run with
some, and such versions are kept. A program has few sizes, as a rule: those of a batch and of the
last one. For more than that NumPy's code runs, which is one for all sizes.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import ArrayType, FeedError, GradError
from gradops.native.ir.scalars import NotNative

from ...native.output.native_code import NativeCode
from ...native.planning.choices import Choice, Choices
from ...native.planning.predictions import NUMPY, tier_for
from ...passes.pipeline import Optimized
from ...transform.sizing import sized
from .. import generated  # noqa: F401  there may be no memory to import it when it is needed
from ..feeds import as_feed, sizes_of_feeds
from .native_executable import NativeExecutable

MOST = 16  # versions
Shapes = tuple[tuple[int, ...], ...]


class NativeForSizes(NativeExecutable):
    """A graph compiled for each of the sizes it is run with. See Note [Code for sizes].

    `ir`, `assembly`, `choices` and `save_object` are of the sizes that it was last run with. If it
    `decides`, NumPy runs the sizes for which machine code is not predicted to pay.
    """

    decides = False
    last: Shapes | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        kind, arguments, known = super().__reduce__()
        return kind, arguments, known | {"decides": self.decides}

    def compiled(self, optimized: Optimized) -> Callable[..., Any]:
        self.versions: dict[Shapes, Callable[..., Any]] = {}
        self.codes: dict[Shapes, NativeCode] = {}
        self.tiers: dict[Shapes, Choice | None] = {}
        return self.run_version

    def run_version(self, *args: Any) -> Any:
        """Run the version for the sizes of arrays; NotImplemented for what is not an array."""
        if len(args) != self.count:
            return NotImplemented
        try:
            key = tuple([x.shape for x in args])
        except AttributeError:
            return NotImplemented
        run = self.versions.get(key) or self.version(key, args)
        self.last = key
        return run(*args)

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
            tier = self.tiers[key] = tier_for(graph) if self.decides else None
            if tier is not None and tier.way == NUMPY:
                return self.run_by_numpy
            made = NativeExecutable(graph, self.optimize, self.form, None, self.check_numerics)
        except (NotNative, GradError):
            return self.run_by_numpy
        self.codes[key] = made.native
        return made.run

    def run_by_numpy(self, *args: Any) -> Any:
        """The results of NumPy's code."""
        return self.by_numpy.attempt(args)

    @property
    def choices(self) -> Choices:
        if self.last is None:
            return Choices(otherwise="nothing was chosen yet: the sizes are not known")
        tier, code = self.tiers.get(self.last), self.codes.get(self.last)
        return Choices([*([tier] if tier else []), *(code.choices if code else [])])

    @property
    def ir(self) -> str:
        return self.last_code().ir

    @property
    def assembly(self) -> str:
        return self.last_code().assembly

    def save_object(
        self, path: str | os.PathLike[str], name: str | None = None, *, blas: str | None = None,
        cpu: str | None = None,
    ) -> None:  # fmt: skip
        self.write_object(self.last_code(), path, name, blas, cpu)

    def last_code(self) -> NativeCode:
        """The code for the sizes of the last run; raises FeedError if it had none."""
        if self.last in self.codes:
            return self.codes[self.last]
        if self.last is None:
            hint = "run it: there is machine code for each of the sizes it has run with"
            raise FeedError(f"the sizes of {self!r} are not known\n  hint: {hint}")
        hint = f"backend='native' compiles it, for up to {MOST} kinds of sizes"
        raise FeedError(f"NumPy ran {self!r} with the sizes that came last\n  hint: {hint}")
