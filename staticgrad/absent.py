"""What TensorFlow 1 has and this library has not, and what to use instead."""

INSTEAD = {
    "InteractiveSession": "with sg.Session(): ..., and x.eval()",
    "TensorArray": "scan, map and map_accumulate collect and take apart the values of steps",
    "TensorShape": "a tuple of sizes: numbers, names, sg.Dim",
    "GraphKeys": "the names of collections: 'trainable_variables', 'update_ops' and others",
    "Operation": "sg.Expr: operation and tensor are one",
    "Tensor": "sg.Expr",
    "all_variables": "sg.global_variables()",
    "device": "nothing: there is one device, the CPU",
    "get_variable": "sg.Variable, made once and passed on",
    "variable_scope": "sg.name_scope, and Python's own ways of sharing",
    "grad": "sg.gradients(y, x), inside of sg.function too",
    "initialize_all_variables": "sg.global_variables_initializer()",
    "losses": "sg.cross_entropy, sg.nn and the ops themselves",
    "py_func": "an op of your own: see docs/how-to/add-an-op.md",
    "summary": "to_dot, to_mermaid, to_json, to_networkx, to_text, explain",
    "max": "sg.reduce_max",
    "mean": "sg.reduce_mean",
    "min": "sg.reduce_min",
    "prod": "sg.reduce_prod",
    "sum": "sg.reduce_sum",
    "to_float": "sg.cast(x, 'float32')",
    "to_int32": "sg.cast(x, 'int32')",
    "value_and_grad": "sg.gradients(y, x), inside of sg.function too",
    "hessians": "sg.hessian(y, x)",
    "import_graph_def": "sg.import_graph",
    "Defun": "sg.function",
    "estimator": "sg.train, and a loop of your own",
    "contrib": "sg.train, sg.layers and sg.nn",
    "data": "arrays that are fed; dynamicgrad.data makes batches",
}


IN_MODULES = {
    "nn": {
        "bidirectional_dynamic_rnn": "sg.layers.lstm(..., bidirectional=True)",
        "dynamic_rnn": "sg.layers.lstm, gru and rnn, or sg.scan with a step of your own",
        "raw_rnn": "sg.while_loop",
        "rnn_cell": "sg.layers.lstm, gru and rnn",
        "static_rnn": "sg.layers.lstm, gru and rnn",
    },
    "train": {
        "Coordinator": "threads of Python's",
        "MonitoredTrainingSession": "sg.Session, and a loop of your own",
        "Saver": "np.savez(path, **session.snapshot().values), session.restore(np.load(path))",
    },
}
"""The same by modules of `staticgrad`."""


def missing(name: str, module: str = "") -> AttributeError:
    """The error for a name that `staticgrad`, or one of its modules, does not have."""
    use = (IN_MODULES[module] if module else INSTEAD).get(name)
    where = f"staticgrad.{module}".rstrip(".")
    hint = f"\n  hint: use {use}" if use else ""
    return AttributeError(f"module {where!r} has no attribute {name!r}{hint}", name=name)
