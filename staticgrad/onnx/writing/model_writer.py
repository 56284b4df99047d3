"""A model that grows node by node: names, nodes, tensors, and the graphs within nodes."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradops.core.dims import Dim, Size

from ...ir.names import unique_name
from ..errors import Unsupported
from ..library import library
from ..reading.tensors import NUMBERS

SHARED = 64  # bytes of a constant up to which equal ones are one tensor
Names = list[str]


@dataclass
class Block:
    """A graph under construction: its nodes and tensors."""

    nodes: list[Any] = field(default_factory=list)
    tensors: list[Any] = field(default_factory=list)


class ModelWriter:
    """Adds nodes to a model. Values are referred to by name."""

    def __init__(self, opset: int) -> None:
        self.opset, self.taken = opset, set[str]()
        self.blocks = [Block()]
        self.constants: list[dict[Any, str]] = [{}]
        self.sizes: list[dict[str, str]] = [{}]  # vectors of one entry, by the names of sizes
        self.place = ""  # the expression that is being written

    def unique(self, name: str) -> str:
        """A name that no other value has."""
        return unique_name(name, self.taken)

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add a node of one output, and return the output's name."""
        return self.add_several(operator, inputs, [name or operator.lower()], attributes)[0]

    def add_several(
        self, operator: str, inputs: Sequence[str], outputs: Sequence[str],
        attributes: Mapping[str, Any],
    ) -> Names:  # fmt: skip
        """Add a node of several outputs, named as proposed where the names are free."""
        names = [self.unique(name) if name else "" for name in outputs]
        given = {k: v for k, v in attributes.items() if v is not None}
        node = library().helper.make_node(operator, list(inputs), names, name=names[0], **given)
        node.doc_string = self.place
        self.blocks[-1].nodes.append(node)
        return names

    def constant(self, value: Any, name: str = "constant") -> str:
        """The name of a tensor with known entries; small equal ones are shared."""
        value = np.ascontiguousarray(value).reshape(np.shape(value))
        key = (value.dtype.str, value.shape, value.tobytes()) if value.nbytes <= SHARED else None
        for known in self.constants if key else ():
            if key in known:
                return known[key]
        made = self.unique(name)
        if key:
            self.constants[-1][key] = made
        self.blocks[-1].tensors.append(tensor_of(value, made))
        return made

    def reshape(self, x: str, shape: Sequence[Size], name: str = "") -> str:
        """Add the node that reshapes a value, whose entries a shape fills exactly."""
        zeros = 1 if any(not isinstance(n, Dim) and n == 0 for n in shape) else None
        return self.add("Reshape", x, self.vector(shape), allowzero=zeros, name=name)

    def integers(self, *values: int) -> str:
        """The name of a vector of known integers."""
        return self.constant(np.array(values, np.int64))

    def vector(self, sizes: Sequence[Size]) -> str:
        """The name of a vector of sizes."""
        if not any(isinstance(n, Dim) for n in sizes):
            return self.integers(*map(int, sizes))
        return self.add("Concat", *[self.size(n) for n in sizes], axis=0, name="shape")

    def size(self, n: Size) -> str:
        """The name of a vector with one size."""
        if not isinstance(n, Dim):
            return self.integers(int(n))
        found = n.computed(self.named_size, self.size_functions())
        return found.name if isinstance(found, SizeName) else self.integers(int(found))

    def named_size(self, name: str) -> "SizeName":
        """The size of a name, for arithmetic that adds nodes."""
        return SizeName(self, self.known_size(name))

    def size_functions(self) -> dict[str, Callable[..., Any]]:
        """The functions of sizes, as nodes."""

        def extreme(operator: str, *sizes: Any) -> SizeName:
            return SizeName(self, self.add(operator, *[self.name_of(n) for n in sizes]))

        def broadcast(*sizes: Any) -> SizeName:
            """0 where a size is, else the largest."""
            least, most = extreme("Min", *sizes), extreme("Max", *sizes)
            is_empty = self.add("Equal", least.name, self.integers(0))
            return SizeName(self, self.add("Where", is_empty, least.name, most.name))

        return {"//": lambda n, m: SizeName(self, self.name_of(n)) // m,
                "nonnegative": lambda n: extreme("Max", n, 0), "broadcast": broadcast}  # fmt: skip

    def name_of(self, n: Any) -> str:
        """The name of a size that is known, or has one."""
        return n.name if isinstance(n, SizeName) else self.integers(int(n))

    def known_size(self, name: str) -> str:
        """The name of the vector that has a named size."""
        for known in reversed(self.sizes):
            if name in known:
                return known[name]
        raise Unsupported(f"the size {name!r}, which no input or earlier value has")

    def note_sizes(
        self, value: str, shape: Sequence[Size], introduced: Container[str] = ()
    ) -> None:
        """Let the axes of a value determine the named sizes that are not known yet.

        Those that it has introduced are new, even if there is a name like it outside.
        """
        for axis, n in enumerate(shape):
            if not isinstance(n, Dim) or n.linear is None:
                continue
            name, times, plus = n.linear
            if name not in introduced and any(name in known for known in self.sizes):
                continue
            got = SizeName(self, self.add("Shape", value, start=axis, end=axis + 1))
            got = got - plus if plus else got
            self.sizes[-1][name] = (got // times if times != 1 else got).name

    @contextmanager
    def inner_names(self) -> Iterator[None]:
        """Names of sizes of a formula: those that it introduces end with the `with` block."""
        self.sizes.append({})
        try:
            yield
        finally:
            self.sizes.pop()

    @contextmanager
    def inner_graph(self) -> Any:
        """A graph within a node: what is added in the `with` block belongs to it."""
        self.blocks.append(Block())
        self.constants.append({})
        self.sizes.append({})
        try:
            yield self.blocks[-1]
        finally:
            for stack in (self.blocks, self.constants, self.sizes):
                stack.pop()

    def graph(self, block: Block, name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """The graph of a block, of inputs and outputs with types."""
        return library().helper.make_graph(block.nodes, name, inputs, outputs, block.tensors)


@dataclass(frozen=True)
class SizeName:
    """A vector of one size, by name; arithmetic on it adds nodes."""

    writer: ModelWriter
    name: str

    def apply(self, operator: str, other: Any) -> "SizeName":
        """This and another size, combined by a node."""
        w = self.writer
        return SizeName(w, w.add(operator, self.name, w.name_of(other)))

    def __add__(self, other: Any) -> "SizeName":
        return self if isinstance(other, int) and other == 0 else self.apply("Add", other)

    def __sub__(self, other: Any) -> "SizeName":
        return self.apply("Sub", other)

    def __mul__(self, other: Any) -> "SizeName":
        return self if isinstance(other, int) and other == 1 else self.apply("Mul", other)

    def __floordiv__(self, other: Any) -> "SizeName":
        """The quotient rounded down; sizes and divisors are not negative."""
        return self.apply("Div", other)

    __radd__, __rmul__ = __add__, __mul__


def tensor_of(value: np.ndarray, name: str) -> Any:
    """An array as a tensor of a model."""
    return library().numpy_helper.from_array(value, name)


def type_of_value(name: str, dtype: Any, shape: Sequence[Size | None]) -> Any:
    """An input or output with its type; named sizes have their names, others are left open."""
    if np.dtype(dtype) not in NUMBERS or np.dtype(dtype).kind == "c":
        raise Unsupported(f"the dtype {dtype}")
    sizes = [str(n) if isinstance(n, Dim) else n if n is None else int(n) for n in shape]
    return library().helper.make_tensor_value_info(name, NUMBERS[np.dtype(dtype)], sizes)
