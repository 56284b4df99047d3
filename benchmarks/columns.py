"""All libraries, in the order of the tables."""

from staticgrad.passes.levels import LEVELS

from .libraries.interface import Library

NUMBERS = [n for n in LEVELS if isinstance(n, int)]
LEVEL_COLUMNS = [
    Library(f"staticgrad {n}", "staticgrad", "static_graph", (("level", n),)) for n in NUMBERS
]
BY_HAND, EAGER, TORCH = "NumPy by hand", "dynamicgrad", "torch eager"
NATIVE = "staticgrad native"
DEFAULT_LEVEL = f"staticgrad {max(NUMBERS)}"
LIBRARIES: list[Library] = [
    Library(BY_HAND, "numpy", "by_hand"),
    Library(EAGER, "dynamicgrad", "torch_names", (("package", "dynamicgrad"),)),
    *LEVEL_COLUMNS,
    Library(NATIVE, "llvmlite", "static_graph", (("backend", "native"),)),
    Library("sg.function", "staticgrad", "torch_names",
            (("package", "dynamicgrad"), ("mode", "traced"))),
    Library(TORCH, "torch", "torch_names"),
    Library("torch.compile", "torch", "torch_names", (("mode", "compile"),)),
    Library("JAX jit", "jax", "jax_jit"),
    Library("tf.function", "tensorflow", "tensorflow_graph"),
    Library("TensorFlow XLA", "tensorflow", "tensorflow_graph", (("xla", True),)),
    Library("PyTensor", "pytensor", "pytensor_graph"),
    Library("HIPS autograd", "autograd", "hips"),
    Library("CasADi", "casadi", "casadi_sx"),
]  # fmt: skip
PACKAGES = ("numpy", "dynamicgrad", "staticgrad", "llvmlite")
OURS = [lib.name for lib in LIBRARIES if lib.package in PACKAGES]
