"""What PyTorch has and this library has not under the same name, and what to use instead."""

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


def missing(name: str) -> AttributeError:
    """The error for a name that `dynamicgrad` does not have."""
    use = INSTEAD.get(name)
    if not name.startswith("_"):
        from ..nn import functional  # only now: few programs come here

        use = f"dg.nn.functional.{name}" if name in functional.__all__ else use
    hint = f"\n  hint: use {use}" if use else ""
    return AttributeError(f"module 'dynamicgrad' has no attribute {name!r}{hint}", name=name)
