"""PyTorch's names that `dynamicgrad` does not have, and what to use instead."""

from collections.abc import Callable, Collection

INSTEAD = {
    "Generator": "dg.manual_seed, or keys: dg.random.key(seed)",
    "backends": "nothing: NumPy computes",
    "compile": "sg.function of staticgrad, which compiles a step",
    "finfo": "np.finfo",
    "fx": "sg.trace of staticgrad",
    "iinfo": "np.iinfo",
    "jit": "sg.trace, sg.function and sg.save of staticgrad",
    "onnx": "sg.trace and sg.save of staticgrad",
    "reduce_max": "dg.amax",
    "reduce_mean": "dg.mean",
    "reduce_sum": "dg.sum",
    "seed": "dg.manual_seed",
    "set_default_tensor_type": "dg.set_default_dtype",
    "utils": "dg.data, dg.checkpoint and dg.from_dlpack, for utils.data, .checkpoint, .dlpack",
}


def missing(name: str, functional: Callable[[], Collection[str]]) -> AttributeError:
    """The error for a name that is not in `dynamicgrad`, but may be in `nn.functional`."""
    is_function = not name.startswith("_") and name in functional()
    use = f"dg.nn.functional.{name}" if is_function else INSTEAD.get(name)
    hint = f"\n  hint: use {use}" if use else ""
    return AttributeError(f"module 'dynamicgrad' has no attribute {name!r}{hint}", name=name)
