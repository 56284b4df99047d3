"""The values of all steps of a loop as arrays, which the loop gets or gives in lists."""

from collections.abc import Container, Iterable, Sequence

from gradops import ArrayType

from ...ir.expr import Expr
from ...ir.nominal import nominal_bytes
from ...ir.sizes import bound_type
from ...ir.tuple_types import HistoryType
from ..subgraphs import subgraph
from .editing import LoopEditor


class Stacks:
    """The values of all steps of a loop as arrays: of its operands, or given by it."""

    def __init__(self, editor: LoopEditor) -> None:
        self.editor, self.loop = editor, editor.e
        first, end = editor.carries, editor.end
        self.numbers = {e: i for i, e in enumerate(editor.body.inputs[first:end], first)}
        self.places: dict[Expr, int] = {}

    def rebuild(self, dropped: Container[int], kept: Sequence[int], read: Iterable[Expr]) -> None:
        """Let the loop give what is `read`, without the state that is `dropped`."""
        old, body = self.editor, self.editor.body
        outputs = [body.outputs[k] for k in kept]
        first = sum([k < old.carries for k in kept])
        self.places = {e: i for i, e in enumerate(outputs) if i >= first}
        new = [v for v in read if v not in self.numbers and v not in self.places]
        self.places |= {e: i for i, e in enumerate(new, len(outputs))}
        types = [*(old.types[k] for k in kept), *map(self.history, new)]
        order = sorted(range(len(body.inputs)), key=lambda k: k in dropped)
        inputs = [body.inputs[k] for k in order]  # what is dropped may still tell a size
        step = subgraph(body, inputs, [*outputs, *new], body.measured)
        operands = [old.operands[k] for k in order]
        self.loop = old.rebuilt(step, operands, types, carries=first)

    def element(self, v: Expr) -> ArrayType:
        """The type outside of a value of each step."""
        return bound_type(v.type, self.editor.sizes)

    def history(self, v: Expr) -> HistoryType:
        """The type of a list of a value of each step."""
        return HistoryType(self.editor.length, self.element(v))

    def bytes(self, v: Expr) -> int:
        """The bytes in each step of the array: none for an operand that is an array."""
        i = self.numbers.get(v)
        is_array = i is not None and not isinstance(self.editor.operands[i].type, HistoryType)
        return 0 if is_array else nominal_bytes(v.type)

    def __getitem__(self, v: Expr) -> Expr:
        """The values of all steps as an array."""
        if v in self.numbers:
            values = self.editor.operands[self.numbers[v]]
        else:
            (values,) = self.editor.parts(self.loop, [self.places[v]])
        return self.editor.list_as_array(values, self.element(v))
