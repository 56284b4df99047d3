"""A graph as machine code, and the function by which Python calls it."""

import ctypes
import weakref
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops.native import costs
from gradops.native.ir.memory import addresses
from gradops.native.ir.scalars import NotNative
from gradops.native.objects.stored import ObjectCode, store, stored
from gradops.native.runtime.builtins import builtin
from gradops.native.runtime.machine import Code, Refused
from gradops.native.runtime.machine import compiled_at_once as compiled
from gradops.native.runtime.modules import find

from ...ir.graph import FrozenGraph
from ...ir.interning import structural_hash
from ..planning.choices import Choices
from . import entry
from .entry import Signature
from .kept import found_again, notes_of
from .keys import Key

if TYPE_CHECKING:
    from .module_text import Written


class NativeCode:
    """A graph as machine code: `run` is a function of arrays.

    The graph is made when it is needed: not if its code has been kept on disk under the key, and
    refers to nothing outside. Code that is `checked` gives up at values that are not finite.
    """

    def __init__(
        self, make: Callable[[], FrozenGraph], signature: Signature, key: Key | None,
        checked: bool = False,
    ) -> None:  # fmt: skip
        self.make, self.signature, self.table = make, signature, costs.table()
        self.checked = checked
        key = None if key is None else (*key, self.table.key)
        self.code, self.kept = self.kept_code(key) or self.new_code(key)
        self.arrays = signature.table(self.code)
        self.run = self.builtin("run", "entry")
        weakref.finalize(self.code, free_spare, entry.code(), self.arrays)

    def newly_compiled(self) -> ObjectCode:
        """The module of the graph, compiled."""
        try:
            return compiled(self.written.modules, self.notes)
        except Refused as error:
            from ...text.printer import to_text

            hint = "this is a mistake of ours: please report it, with this graph"
            raise Refused(f"{error}\n  hint: {hint}\n{to_text(self.graph)}") from error

    def called(self, otherwise: Callable[..., Any]) -> Callable[..., Any]:
        """The function of arrays, which calls another one with what it cannot run."""
        return self.builtin("call", "call", otherwise)

    def builtin(
        self, name: str, function: str, otherwise: Callable[..., Any] | None = None
    ) -> Callable[..., Any]:
        """One of the functions of all graphs, for this one."""
        both, address = (self.code, entry.code()), entry.address(function)
        return builtin(both, name, address, self.kept, otherwise, self.arrays)

    def kept_code(self, key: Key | None) -> tuple[Code, list[object]] | None:
        """The code that is kept on disk, if it is of this graph, and what it refers to."""
        found = None if key is None else stored(key)
        kept = None if found is None else self.kept_of(found)
        if found is None or kept is None:
            return None
        try:
            return Code.of(found, addresses(kept), find), kept
        except NotNative:  # it calls what is not known before its text is written
            return None

    def new_code(self, key: Key | None) -> tuple[Code, list[object]]:
        """The code that is compiled now, and what it refers to."""
        made, kept = self.newly_compiled(), self.written.kept
        if key is not None and self.notes is not None:
            store(key, made)
        return Code.of(made, addresses(kept), find), kept

    @cached_property
    def graph(self) -> FrozenGraph:
        """The graph, without formulas."""
        from ..planning.formulas import written_out
        from ..planning.kinds import require_types

        graph = self.make()
        require_types(graph)
        return written_out(graph)

    @cached_property
    def written(self) -> "Written":
        """The module of the graph. What writes it is not imported for code kept on disk."""
        from .module_text import module_of

        return module_of(self.graph, self.table, self.checked)

    @cached_property
    def structure(self) -> str:
        """A hash of the graph whose expressions notes number; the key tells its constants."""
        return structural_hash(self.graph, contents=False)

    @property
    def choices(self) -> Choices:
        """The choices made while the module was written."""
        return self.written.choices

    @property
    def workspace(self) -> int:
        """The bytes of memory for values that are no results; it is kept from call to call."""
        return self.written.workspace

    @property
    def ir(self) -> str:
        """The module of the graph as text, with the user's lines."""
        from .annotations import annotated

        return annotated(self.written.text, self.written.subjects)

    @property
    def assembly(self) -> str:
        """The instructions of the machine, with the user's lines."""
        from .annotations import annotated_assembly

        return annotated_assembly(self.written.modules, self.written.subjects)

    @cached_property
    def notes(self) -> tuple[str, ...] | None:
        """Where in the graph what the code refers to comes from; None if it is not of the graph."""
        notes = notes_of(self.written.origins, self.graph)
        return (self.structure, *notes) if notes else notes

    def kept_of(self, found: ObjectCode) -> list[object] | None:
        """The objects that code from the cache refers to; None if it is of another graph."""
        structure, notes = found.notes[:1], found.notes[1:]
        if structure and structure[0] != self.structure:
            return None
        return found_again(notes, self.graph) if notes else []


def free_spare(functions: Code, table: np.ndarray) -> None:
    """Free the memory that the last call left, by the functions that took it."""
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(functions.address("free_spare"))(table.ctypes.data)
