"""What TensorFlow 1 has and this library has not, and what to use instead."""

INSTEAD = {
    "InteractiveSession": "with sg.Session(): ..., and x.eval()",
    "TensorArray": "scan, map and map_accumulate collect and take apart the values of steps",
    "TensorShape": "a tuple of sizes: numbers, names, sg.Dim",
    "Operation": "sg.Expr: operation and tensor are one",
    "Tensor": "sg.Expr",
    "device": "nothing: there is one device, the CPU",
    "get_variable": "sg.Variable, made once and passed on",
    "variable_scope": "sg.name_scope, and Python's own ways of sharing",
    "losses": "sg.cross_entropy, sg.nn and the ops themselves",
    "py_func": "an op of your own: see docs/how-to/add-an-op.md",
    "summary": "to_dot, to_mermaid, to_json, to_networkx, to_text, explain",
    "to_float": "sg.cast(x, 'float32')",
    "to_int32": "sg.cast(x, 'int32')",
    "hessians": "sg.hessian(y, x)",
    "import_graph_def": "sg.import_graph",
    "Defun": "sg.function",
    "estimator": "sg.train, and a loop of your own",
    "contrib": "sg.train, sg.layers and sg.nn",
    "data": "arrays that are fed; dynamicgrad.data makes batches",
}


def missing(name: str) -> AttributeError:
    """The error for a name that `staticgrad` does not have."""
    hint = f"\n  hint: use {INSTEAD[name]}" if name in INSTEAD else ""
    return AttributeError(f"module 'staticgrad' has no attribute {name!r}{hint}", name=name)
