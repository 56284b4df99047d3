"""LLVM: text to machine code in memory, by way of object files that are kept on disk."""

import ctypes
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from threading import Lock
from types import MappingProxyType
from typing import Any

from ...kernels.threads import cores
from ..ir.modules import Module, Passes, modules_in
from ..ir.scalars import NotNative
from ..objects.elf import Unloadable
from ..objects.fingerprint import OPTIONS
from ..objects.loading import Loaded
from ..objects.stored import ObjectCode, object_for
from .room import ALWAYS, EACH, at_once, require_memory, with_room
from .symbols import find

__all__ = ["Code", "compiled"]


Find = Callable[[str], int]
"""The address of what code calls by a name; raises NotNative if there is none."""


class Refused(NotNative):
    """LLVM does not take a text: a mistake of ours."""


NAMING = Lock()


@cache
def llvm() -> Any:
    """llvmlite, which is of the extra `native`."""
    import llvmlite.binding

    llvmlite.binding.initialize_native_target()
    llvmlite.binding.initialize_native_asmprinter()
    return llvmlite.binding


def new_machine(cpu: str = "", passes: Passes = "all") -> Any:
    """A description of the machine, which an engine may own: this one, or of another CPU.

    With the least passes, instructions are selected quickly.
    """
    triple = llvm().Target.from_default_triple()
    options = OPTIONS | {"opt": 0} if passes == "least" else OPTIONS
    return triple.create_target_machine(
        cpu=cpu or llvm().get_host_cpu_name(), features="" if cpu else features(), **options
    )


def features() -> str:
    """The processor's features; none, of one that LLVM does not know."""
    try:
        return str(llvm().get_host_cpu_features().flatten())
    except RuntimeError:
        return ""


class Code:
    """Machine code of a module of LLVM IR, which lives as long as this.

    What the module does not define are the names of `names`, or those that `find` gives addresses
    of: by default objects of Python, and functions of CPython, NumPy, BLAS and C.
    """

    def __init__(
        self, text: str, names: Mapping[str, int] | None = None, find: Find = find
    ) -> None:
        self.load(compiled(text), names or {}, find)

    @classmethod
    def for_key(
        cls, key: tuple[object, ...], make_text: Callable[[], str],
        names: Mapping[str, int] | None = None, find: Find = find, length: int = 0,
    ) -> "Code":  # fmt: skip
        """The code of a text, from the cache on disk if it has been compiled before.

        The key determines the text: it has its version, or a hash of what it is made from. The
        sources of `gradops`, versions, options and the processor are part of it by themselves. A
        text of functions alone may be compiled as modules of so many lines, see `ir/modules.py`.
        """

        def make() -> ObjectCode:
            text = make_text()
            return compiled_at_once(modules_in(text, length)) if length else compiled(text)

        return cls.of(object_for(key, make), names, find)

    @classmethod
    def of(
        cls, object: ObjectCode, names: Mapping[str, int] | None = None, find: Find = find
    ) -> "Code":
        """The code of an object file."""
        code = cls.__new__(cls)
        code.load(object, names or {}, find)
        return code

    def load(self, object: ObjectCode, names: Mapping[str, int], find: Find) -> None:
        """Load an object file, by LLVM where its format is not known here."""
        self.object = object

        def address_of(name: str) -> int:
            return names[name] if name in names else find(name)

        try:
            self.address = Loaded(object.all, address_of).address
        except Unloadable:
            self.address = LoadedByLLVM(object, address_of).address


class LoadedByLLVM:
    """The code of an object file that LLVM has loaded, in memory as long as this lives."""

    def __init__(self, object: ObjectCode, find: Callable[[str], int]) -> None:
        empty = llvm().parse_assembly("")
        self.engine = llvm().create_mcjit_compiler(empty, new_machine())
        for data in object.all:
            self.engine.add_object_file(llvm().ObjectFileRef.from_data(data))
        found = {name: find(name) for name in object.externals}
        with NAMING:  # names are those of the process, and are read while code is loaded
            for name, address in found.items():
                llvm().add_symbol(name, address)
            self.engine.finalize_object()

    def address(self, name: str) -> int:
        """The address of a function or of a variable; raises KeyError for an unknown one."""
        engine = self.engine
        found = engine.get_function_address(name) or engine.get_global_value_address(name)
        if not found:
            raise KeyError(name)
        return found


def compiled(text: str, notes: Sequence[str] | None = ()) -> ObjectCode:
    """The object file of a module, with notes of what else belongs to it.

    Raises Refused for a text that is no module, and MemoryError.
    """
    machine, known = new_machine(), notes or ()

    def compile(text: str) -> ObjectCode:
        made = parsed(text, machine, llvm().create_context())  # other threads compile meanwhile
        return object_of(optimized(made, machine), machine, known)

    return with_room(compile, text)


def compiled_at_once(modules: Sequence[Module], notes: Sequence[str] | None = ()) -> ObjectCode:
    """The object files of modules that call each other's functions, which threads compile.

    Raises Refused for a text that is no module, and MemoryError.
    """
    threads = min(cores(), len(modules))
    require_memory(threads * (ALWAYS + EACH * max(len(m.text) for m in modules)))
    first, *more = at_once([partial(compiled_alone, m) for m in modules], threads)
    defined = {name for module in modules for name in module.defined}
    externals = {name for module in modules for name in module.declared} - defined
    return ObjectCode(first, tuple(sorted(externals)), tuple(notes or ()), tuple(more))


def compiled_alone(module: Module) -> bytes:
    """The object file of one module, in a context of its own: threads compile others meanwhile."""
    machine = new_machine(passes=module.passes)
    made = parsed(module.text, machine, llvm().create_context())
    return emitted(OPTIMIZE[module.passes](made, machine), machine)


def linked(texts: Sequence[str], exported: Collection[str], cpu: str = "") -> ObjectCode:
    """The object file of several modules, in which only some names can be seen from outside."""
    return with_room(lambda _: linked_here(texts, exported, cpu), "".join(texts))


def linked_here(texts: Sequence[str], exported: Collection[str], cpu: str) -> ObjectCode:
    """The object file of several modules, made in this thread."""
    machine, context = new_machine(cpu), llvm().create_context()
    module, *others = [parsed(text, machine, context) for text in texts]
    for other in others:
        module.link_in(other)
    for g in [*module.functions, *module.global_variables]:
        if not g.is_declaration and g.name not in exported:
            g.linkage = "internal"
    return object_of(optimized(module, machine), machine, ())


def assembly_of(text: str, passes: Passes = "all") -> str:
    """The machine code of a module as text."""
    machine, optimize = new_machine(passes=passes), OPTIMIZE[passes]

    def compile(text: str) -> str:
        made = parsed(text, machine, llvm().create_context())
        return str(machine.emit_assembly(optimize(made, machine)))

    return with_room(compile, text)


def parsed(text: str, machine: Any, context: Any = None) -> Any:
    """A module for a machine; raises Refused for a text that passes would not survive."""
    try:
        module = llvm().parse_assembly(text, context)
        module.verify()
    except RuntimeError as error:
        raise Refused(f"LLVM refuses what was written for it: {error}") from error
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return module


def optimized(module: Any, machine: Any) -> Any:
    """A module after LLVM's passes, with its vectorizer of loops; that of blocks gains little.

    A higher level than the first takes a fifth more time, and gains nothing: our code has no calls
    that are worth to be inlined, and its vectors are written as such.
    """
    options = llvm().create_pipeline_tuning_options(speed_level=1)
    options.loop_vectorization = options.loop_interleaving = options.loop_unrolling = True
    builder = llvm().create_pass_builder(machine, options)
    run(builder.getModulePassManager(), module, builder)
    return module


def mostly_optimized(module: Any, machine: Any) -> Any:
    """A module after the passes of functions, those of `optimized` before its vectorizer."""
    options = llvm().create_pipeline_tuning_options(speed_level=1)
    builder = llvm().create_pass_builder(machine, options)
    before = llvm().create_new_module_pass_manager()
    before.add_always_inliner_pass()
    before.add_global_dead_code_eliminate_pass()
    run(before, module, builder)
    passes = builder.getFunctionPassManager()
    for f in module.functions:
        if not f.is_declaration:
            unlocked("LLVMPY_RunNewFunctionPassManager")(passes, f, builder)
    return module


def quickly_optimized(module: Any, machine: Any) -> Any:
    """A module after the few passes that straight code and loops with vectors need.

    It takes a quarter of the time of all. Nothing is moved out of loops, and what lies in memory
    stays there from pass to pass.
    """
    builder = llvm().create_pass_builder(machine, llvm().create_pipeline_tuning_options())
    passes = llvm().create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_loop_rotate_pass()
    passes.add_new_gvn_pass()
    passes.add_simplify_cfg_pass()
    passes.add_dead_code_elimination_pass()
    passes.add_global_dead_code_eliminate_pass()
    run(passes, module, builder)
    return module


OPTIMIZE: Mapping[Passes, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "all": optimized,
        "most": mostly_optimized,
        "few": quickly_optimized,
        "least": quickly_optimized,
    }
)


def unlocked(name: str) -> Any:
    """A function of llvmlite's library, without the lock that makes all calls of it wait.

    Threads may call LLVM at once for modules in different contexts. Another version of llvmlite may
    have no such function: then threads wait for one another.
    """
    function = getattr(llvm().ffi.lib, name)
    return getattr(function, "_cfn", function)


def run(passes: Any, module: Any, builder: Any) -> None:
    """Run passes on a module, as their method `run` does."""
    unlocked("LLVMPY_RunNewModulePassManager")(passes, module, builder)


def emitted(module: Any, machine: Any) -> bytes:
    """The object file of a module, as the method `emit_object` of a machine makes it."""
    ffi = llvm().ffi
    with ffi.OutputString() as error:
        buffer = unlocked("LLVMPY_TargetMachineEmitToMemory")(machine, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    try:
        size = ffi.lib.LLVMPY_GetBufferSize(buffer)
        return ctypes.string_at(ffi.lib.LLVMPY_GetBufferStart(buffer), size)
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


def object_of(module: Any, machine: Any, notes: Sequence[str]) -> ObjectCode:
    """The object file of a module after LLVM's passes."""
    return ObjectCode(emitted(module, machine), externals_of(module), tuple(notes))


def globals_of(module: Any) -> list[Any]:
    """The functions and variables of a module."""
    return [*module.functions, *module.global_variables]


def externals_of(module: Any) -> tuple[str, ...]:
    """The names that a module declares, without those of LLVM."""
    declared = [g.name for g in globals_of(module) if g.is_declaration]
    return tuple([name for name in declared if not name.startswith("llvm.")])
