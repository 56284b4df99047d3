"""Names of TensorFlow 1 that this library does not have, and what to use instead."""

from collections.abc import Callable, Collection, Mapping

INSTEAD = {
    "AUTO_REUSE": "Python's own ways of sharing",
    "ConfigProto": "nothing: sessions have no configuration",
    "Defun": "sg.function",
    "Dimension": "sg.Dim, or a number",
    "GradientTape": "sg.gradients(y, xs), inside of sg.function too",
    "GraphKeys": "the names of collections: 'trainable_variables', 'update_ops' and others",
    "InteractiveSession": "with sg.Session(): ..., and x.eval()",
    "Placeholder": "sg.placeholder",
    "Operation": "sg.Expr: operation and tensor are one",
    "Tensor": "sg.Expr",
    "TensorArray": "sg.scan, sg.map and sg.map_accumulate, which collect the values of steps",
    "TensorShape": "a tuple of sizes: numbers, names, sg.Dim",
    "all_variables": "sg.global_variables()",
    "accumulate_n": "sg.add_n",
    "app": "nothing: call main()",
    "as_dtype": "np.dtype",
    "backward": "sg.gradients(y, xs)",
    "assert_equal": "sg.Assert(sg.reduce_all(sg.equal(a, b)), [a, b])",
    "compat": "the names themselves: sg.placeholder",
    "contrib": "sg.layers, sg.initializers (glorot_uniform is xavier's), sg.nn, sg.train",
    "convert_to_tensor": "sg.constant",
    "data": "arrays that are fed; dynamicgrad.data makes batches",
    "device": "nothing: there is one device, the CPU",
    "distributions": "sg.random, and densities written with the ops",
    "div": "sg.divide, sg.floordiv",
    "errors": "the exceptions of gradops.core.errors",
    "estimator": "sg.train, and a loop of your own",
    "flags": "argparse",
    "get_variable": "sg.Variable, made once and passed on",
    "fori_loop": "sg.fori",
    "gammaln": "sg.lgamma",
    "gfile": "pathlib",
    "grad": "sg.gradients(y, x), inside of sg.function too",
    "hessians": "sg.hessian(y, x)",
    "import_graph_def": "sg.import_graph",
    "initialize_all_variables": "sg.global_variables_initializer()",
    "jacfwd": "sg.jacobian",
    "jacrev": "sg.jacobian",
    "jit": "sg.function, or sg.compile",
    "lax": "the functions of sg itself: sg.scan, sg.while_loop, sg.fori, sg.cond, sg.map",
    "keras": "sg.layers and sg.train; dynamicgrad.nn has modules",
    "local_variables_initializer": "nothing: there are no local variables",
    "logging": "logging",
    "losses": "sg.cross_entropy, sg.nn and the ops themselves",
    "math": "the functions of sg itself: sg.reduce_sum, sg.exp",
    "max": "sg.reduce_max",
    "mean": "sg.reduce_mean",
    "metrics": "the ops: sg.reduce_mean(sg.cast(sg.equal(a, b), 'float32'))",
    "min": "sg.reduce_min",
    "no_grad": "nothing: a graph has the gradients that are asked for",
    "numpy": "the functions of sg itself, or NumPy's on expressions",
    "numpy_function": "an op of your own: see docs/how-to/add-an-op.md",
    "optimizers": "sg.train",
    "pmap": "sg.distributed",
    "print": "sg.Print",
    "prod": "sg.reduce_prod",
    "py_func": "an op of your own: see docs/how-to/add-an-op.md",
    "saved_model": "sg.save and sg.load",
    "scatter_update": "v.assign(v.at[indices].set(values))",
    "segment_sum": "sg.unsorted_segment_sum",
    "strided_slice": "x[begin:end:step]",
    "sum": "sg.reduce_sum",
    "tables_initializer": "nothing: there are no tables",
    "to_double": "sg.cast(x, 'float64')",
    "to_float": "sg.cast(x, 'float32')",
    "to_int32": "sg.cast(x, 'int32')",
    "value_and_grad": "sg.gradients(y, x), inside of sg.function too",
    "variable_scope": "sg.name_scope, and Python's own ways of sharing",
    "vectorized_map": "gradops.vmap",
    "vmap": "gradops.vmap",
    "xavier_initializer": "sg.initializers.glorot_uniform",
}


IN_MODULES = {
    "layers": {"xavier_initializer": "sg.initializers.glorot_uniform"},
    "nn": {
        "bidirectional_dynamic_rnn": "sg.layers.lstm(..., bidirectional=True)",
        "dynamic_rnn": "sg.layers.lstm, gru and rnn, or sg.scan with a step of your own",
        "raw_rnn": "sg.while_loop",
        "rnn_cell": "sg.layers.lstm, gru and rnn",
        "static_rnn": "sg.layers.lstm, gru and rnn",
    },
    "train": {
        "AdadeltaOptimizer": "sg.train.Optimizer with an update rule of your own",
        "Coordinator": "threads of Python's",
        "ExponentialMovingAverage": "v.assign(decay * v + (1 - decay) * new) after each step",
        "FtrlOptimizer": "sg.train.Optimizer with an update rule of your own",
        "MonitoredTrainingSession": "sg.Session, and a loop of your own",
        "Saver": "np.savez(path, **session.snapshot().values), session.restore(np.load(path))",
    },
}
"""Such names of modules of `staticgrad`."""


def missing(
    name: str, module: str = "", places: Callable[[], Mapping[str, Collection[str]]] = dict
) -> AttributeError:
    """The error for a name that `staticgrad`, or one of its modules, does not have.

    `places()` gives the names in each module where it may be.
    """
    use = (IN_MODULES[module] if module else INSTEAD).get(name)
    if use is None and not name.startswith("_"):
        use = next((f"sg.{p}.{name}" for p, names in places().items() if name in names), None)
    where = f"staticgrad.{module}".rstrip(".")
    hint = f"\n  hint: use {use}" if use else ""
    return AttributeError(f"module {where!r} has no attribute {name!r}{hint}", name=name)


ATTRIBUTES = {
    "assign": "a variable: sg.Variable has assign",
    "backward": "sg.gradients(y, xs)",
    "clone": "sg.identity(x); nothing writes to expressions",
    "cpu": "nothing: there is one device, the CPU",
    "cuda": "nothing: there is one device, the CPU",
    "dim": "x.ndim",
    "double": "sg.cast(x, 'float64')",
    "expand": "sg.broadcast_to(x, shape)",
    "float": "sg.cast(x, 'float32')",
    "grad": "sg.gradients(y, xs)",
    "grad_fn": "sg.explain(x), and x.op",
    "half": "sg.cast(x, 'float16')",
    "int": "sg.cast(x, 'int32')",
    "long": "sg.cast(x, 'int64')",
    "masked_fill": "sg.where(mask, value, x)",
    "mm": "x @ y",
    "norm": "sg.norm(x)",
    "numel": "x.size",
    "numpy": "session.run(x), or what sg.compile(x, inputs) returns, called with values",
    "permute": "x.transpose(axes)",
    "requires_grad": "sg.gradients(y, xs): xs says by what is differentiated",
    "requires_grad_": "sg.gradients(y, xs): xs says by what is differentiated",
    "to": "sg.cast(x, dtype)",
    "unsqueeze": "sg.expand_dims(x, axis)",
    "view": "x.reshape(shape)",
}
"""Attributes of tensors in PyTorch and TensorFlow 2 that expressions do not have."""


def missing_attribute(kind: str, name: str) -> AttributeError:
    """The error for an attribute that expressions do not have."""
    use = ATTRIBUTES.get(name)
    hint = f"\n  hint: use {use}" if use else ""
    return AttributeError(f"{kind!r} object has no attribute {name!r}{hint}", name=name)
