"""LLVM: text to machine code, and addresses of functions."""

from functools import cache
from typing import Any


@cache
def llvm() -> Any:
    """llvmlite, which is of the extra `native`."""
    import llvmlite.binding

    return llvmlite.binding


@cache
def target() -> Any:
    """The machine that this process runs on."""
    llvm().initialize_native_target()
    llvm().initialize_native_asmprinter()
    return new_machine()


def new_machine() -> Any:
    """A description of the machine, which an engine may own."""
    features = llvm().get_host_cpu_features().flatten()
    return (
        llvm()
        .Target.from_default_triple()
        .create_target_machine(
            cpu=llvm().get_host_cpu_name(),
            features=features,
            opt=2,
            codemodel="jitdefault",
            jit=True,
        )
    )


class Code:
    """Machine code of a module of LLVM IR, which lives as long as this."""

    def __init__(self, text: str) -> None:
        self.text = text
        machine = target()
        self.module = llvm().parse_assembly(text)
        self.module.triple = machine.triple
        self.module.data_layout = str(machine.target_data)
        optimize(self.module, machine)
        self.engine = llvm().create_mcjit_compiler(self.module, new_machine())
        self.engine.finalize_object()

    def address(self, name: str) -> int:
        """The address of a function or of a variable."""
        return self.engine.get_function_address(name) or self.engine.get_global_value_address(name)

    @property
    def assembly(self) -> str:
        """The machine code as text."""
        return target().emit_assembly(self.module)


def optimize(module: Any, machine: Any) -> None:
    """Run LLVM's passes, with its vectorizer of loops; that of blocks gains little for its time."""
    options = llvm().create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.loop_interleaving = options.loop_unrolling = True
    builder = llvm().create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def symbol(name: str, address: int) -> None:
    """Give an address the name by which code calls it."""
    llvm().add_symbol(name, address)
