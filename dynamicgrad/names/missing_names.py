"""PyTorch's names that `dynamicgrad` does not have, and what to use instead."""

from collections.abc import Callable, Collection, Mapping

INSTEAD = {
    "Generator": "dg.manual_seed, or keys: dg.random.key(seed)",
    "Size": "a tuple, as x.shape is",
    "autocast": "x.half() and x.float()",
    "backends": "nothing: NumPy computes",
    "compile": "sg.function of staticgrad, which compiles a step",
    "distributed": "sg.distributed of staticgrad",
    "distributions": "gradops.scipy.stats, and dg.random",
    "finfo": "np.finfo",
    "fx": "sg.trace of staticgrad",
    "iinfo": "np.iinfo",
    "jit": "sg.trace, sg.function and sg.save of staticgrad",
    "onnx": "sg.trace and sg.onnx.save of staticgrad",
    "profiler": "dg.profile(f, *args), and the profile of a graph in staticgrad",
    "reduce_max": "dg.amax",
    "reduce_mean": "dg.mean",
    "reduce_sum": "dg.sum",
    "seed": "dg.manual_seed",
    "set_default_tensor_type": "dg.set_default_dtype",
    "set_printoptions": "np.set_printoptions",
}
INSTEAD_OF_UTILS = {"checkpoint": "dg.checkpoint", "data": "dg.data", "dlpack": "dg.from_dlpack"}


def missing(name: str, places: Callable[[], Mapping[str, Collection[str]]]) -> AttributeError:
    """The error for a name that is not in `dynamicgrad`, but may be in one of its modules.

    `places()` gives the names in each module.
    """
    use = INSTEAD.get(name)
    if use is None and not name.startswith("_"):
        use = next((f"dg.{p}.{name}" for p, names in places().items() if name in names), None)
    hint = f"\n  hint: use {use}" if use else ""
    return AttributeError(f"module 'dynamicgrad' has no attribute {name!r}{hint}", name=name)


def missing_util(name: str) -> AttributeError:
    """The error for a name that is not in `dynamicgrad.utils`."""
    use = INSTEAD_OF_UTILS.get(name)
    hint = f"\n  hint: use {use}" if use else ""
    return AttributeError(f"module 'dynamicgrad.utils' has no attribute {name!r}{hint}", name=name)
