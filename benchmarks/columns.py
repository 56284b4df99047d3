"""All libraries, in the order of the tables."""

from staticgrad.passes.levels import LEVELS

from .libraries.interface import Library

LEVEL_COLUMNS = [
    Library(f"staticgrad {n}", "staticgrad", "static_graph", (("level", n),)) for n in LEVELS if isinstance(n, int)
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
    Library("tf.function", "tensorflow", "tensorflow_graph"),
    Library("TensorFlow XLA", "tensorflow", "tensorflow_graph", (("xla", True),)),
    Library("PyTensor", "pytensor", "pytensor_graph"),
    Library("HIPS autograd", "autograd", "hips"),
    Library("CasADi", "casadi", "casadi_sx"),
]  # fmt: skip
