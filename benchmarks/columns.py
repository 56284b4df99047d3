"""All libraries, in the order of the tables."""

from staticgrad.passes.levels import LEVELS

from .libraries.interface import Library

LEVEL_COLUMNS = [
    Library(f"staticgrad {n}", "staticgrad", "static_graph", (("level", n),)) for n in LEVELS
]
LIBRARIES: list[Library] = [
    Library("NumPy by hand", "numpy", "by_hand"),
    Library("dynamicgrad", "dynamicgrad", "torch_names", (("package", "dynamicgrad"),)),
    *LEVEL_COLUMNS,
    Library("sg.function", "staticgrad", "torch_names",
            (("package", "dynamicgrad"), ("mode", "traced"))),
    Library("torch eager", "torch", "torch_names"),
    Library("torch.compile", "torch", "torch_names", (("mode", "compile"),)),
    Library("JAX jit", "jax", "jax_jit"),
]  # fmt: skip
