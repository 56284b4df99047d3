"""The cost table: times of this machine, by which code is chosen among alternatives.

Note [Cost table]. What a table says decides between ways to compute the same: loops of our own or a
call of BLAS, a formula or NumPy's kernel, one thread or several, machine code or NumPy. The figures
are measured once per machine, in a third of a second, and kept in a file; what was chosen by them
is kept with the code. As another choice may round differently, nothing is measured where the file
cannot be kept: the default figures hold then, in each run the same.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

OPERATIONS: Mapping[str, int] = MappingProxyType({
    "exp": 10, "log": 10, "tanh": 12, "sin": 12, "cos": 12, "sqrt": 4, "div": 4, "sigmoid": 14,
    "power": 30, "log1p": 12, "expm1": 12,
})  # fmt: skip
"""The operations on an entry that functions are, where only their number counts."""
LARGE_PRODUCT = 1 << 23  # multiplications from which a product is one of large matrices
SPEED = 8  # multiplications of a matrix product in the time of an operation on an entry
DIGITS = 2  # of a figure: what noise changes is not kept


@dataclass(frozen=True)
class Speeds:
    """Times for one dtype on one thread, in nanoseconds."""

    operation: float  # an addition or multiplication of entries, in a loop of ours, in the cache
    exp: float  # an exponential of an entry, in a loop of ours
    product: float  # a multiplication of a product of matrices, in loops of ours
    own_product: float  # the same in a call of our own product
    own_product_large: float  # and of one of large matrices
    blas: float  # the same in a call of BLAS
    blas_large: float  # and of one of large matrices
    numpy_operation: float  # an addition of entries by NumPy's ufunc
    numpy_exp: float  # an exponential of an entry by NumPy's ufunc


@dataclass(frozen=True)
class CostTable:
    """Times of this machine, in nanoseconds. See Note [Cost table].

    `f4` and `f8` are those of float32 and float64. Other dtypes count as float64.
    """

    f4: Speeds = Speeds(0.15, 0.35, 0.09, 0.016, 0.013, 0.017, 0.013, 0.22, 0.55)
    f8: Speeds = Speeds(0.2, 0.8, 0.23, 0.032, 0.026, 0.035, 0.026, 0.32, 0.9)
    product_call: float = 40.0  # a call of our own product, whatever it multiplies
    blas_call: float = 50.0  # a call of BLAS, whatever it multiplies
    kernel_call: float = 2000.0  # a call of NumPy's kernel from machine code
    numpy_call: float = 350.0  # a call of a ufunc from generated source
    byte: float = 0.03  # reading or writing a byte of memory that is not in the cache
    dispatch: float = 10_000.0  # waking the pool, and waiting for its last thread
    is_measured: bool = field(default=False, compare=False)

    def of(self, dtype: np.dtype) -> Speeds:
        """The times for a dtype."""
        return self.f4 if dtype == np.float32 else self.f8

    @property
    def worth(self) -> int:
        """The operations of a loop from which threads share it, however many there are."""
        return int(2 * self.dispatch / self.f4.operation)

    def times_of_loop(self, work: int) -> dict[str, float]:
        """The nanoseconds of a loop of so many operations, on one thread and shared by two."""
        alone = work * self.f4.operation
        return {"threads": alone / 2 + self.dispatch, "one thread": alone}

    @property
    def key(self) -> tuple[float, ...]:
        """The figures, as part of the key of code that was chosen by them."""
        return tuple([value for _, value, _ in self.rows()])

    def rows(self) -> Iterator[tuple[str, float, str]]:
        """The name of each figure, its value, and its unit."""
        for name, speeds in (("f4", self.f4), ("f8", self.f8)):
            for f in fields(speeds):
                yield f"{name}.{f.name}", getattr(speeds, f.name), UNITS[f.name]
        for f in fields(self):
            if f.type is float:
                yield f.name, getattr(self, f.name), UNITS[f.name]

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, for a file."""
        return {k: v for k, v in asdict(self).items() if k != "is_measured"}

    def least(self, other: "CostTable") -> "CostTable":
        """The table of the smaller ones of the figures of two."""
        both = {f.name: (getattr(self, f.name), getattr(other, f.name)) for f in fields(self)}
        smaller: dict[str, Any] = {name: min(pair) for name, pair in both.items()
                                   if isinstance(pair[0], float)}  # fmt: skip
        for name in ("f4", "f8"):
            smaller[name] = Speeds(*map(min, zip(*map(astuple, both[name]), strict=True)))
        return replace(self, **smaller)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "CostTable":
        """A table that was measured; raises ValueError for what is not one."""
        try:
            f4, f8 = (Speeds(**data[name]) for name in ("f4", "f8"))
            result = replace(CostTable(**{**data, "f4": f4, "f8": f8}), is_measured=True)
            sane = all(0 < value < math.inf for value in result.key)
        except (TypeError, KeyError) as error:
            raise ValueError(f"this is not a cost table: {error}") from error
        if not sane:
            raise ValueError("a figure of a cost table is not a positive number")
        return result

    def __str__(self) -> str:
        rows = list(self.rows())
        width = max(len(name) for name, _, _ in rows)
        source = "measured on this machine" if self.is_measured else "defaults, not measured"
        lines = [f"{name:<{width}}  {value:>9.4g}  {unit}" for name, value, unit in rows]
        return "\n".join([source, *lines])


UNITS: Mapping[str, str] = MappingProxyType({
    "operation": "ns an entry, of an addition in our loops",
    "exp": "ns an entry, of an exponential in our loops",
    "product": "ns a multiplication, of a matrix product in loops",
    "own_product": "ns a multiplication, in our own product of matrices",
    "own_product_large": "ns a multiplication, in our own product of large matrices",
    "blas": "ns a multiplication, in a product by BLAS",
    "blas_large": "ns a multiplication, in a product of large matrices by BLAS",
    "numpy_operation": "ns an entry, of an addition by NumPy",
    "numpy_exp": "ns an entry, of an exponential by NumPy",
    "product_call": "ns a call of our own product",
    "blas_call": "ns a call of BLAS",
    "kernel_call": "ns a call of a kernel of NumPy from machine code",
    "numpy_call": "ns a call of a ufunc from generated source",
    "byte": "ns a byte of memory",
    "dispatch": "ns to share a loop between threads",
})  # fmt: skip
DEFAULT = CostTable()


def rounded(value: float) -> float:
    """A figure without the digits that noise changes."""
    return float(f"{value:.{DIGITS - 1}e}")
