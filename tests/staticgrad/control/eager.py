"""Control flow as Python runs it, under staticgrad's names: what graphs have to agree with."""

from typing import Any

import numpy as np

import gradops as ops


def truth(p: Any) -> bool:
    """A truth value, of a tensor or a number."""
    return bool(p.item() if hasattr(p, "item") else p)


def cond(pred: Any, true_fn: Any, false_fn: Any, **options: Any) -> Any:
    return true_fn() if truth(pred) else false_fn()


def switch(index: Any, fns: Any, default: Any = None, **options: Any) -> Any:
    fns = dict(fns) if isinstance(fns, dict) else dict(enumerate(fns))
    last = fns[max(fns)] if default is None else default
    return fns.get(int(index.item() if hasattr(index, "item") else index), last)()


def case(pairs: Any, default: Any = None, **options: Any) -> Any:
    for pred, fn in pairs:
        if truth(pred):
            return fn()
    return default()


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None,
               **options: Any) -> Any:  # fmt: skip
    state, steps = list(loop_vars), 0
    while (maximum_iterations is None or steps < maximum_iterations) and truth(cond(*state)):
        found = body(*state)
        state = list(found) if isinstance(found, list | tuple) else [found]
        steps += 1
    return state if len(state) > 1 else state[0]


def map_accumulate(fn: Any, initializer: Any, elems: Any, reverse: bool = False,
                   **options: Any) -> Any:  # fmt: skip
    leaves, rebuild = ops.flatten(elems)
    state, rows = initializer, []
    count = range(leaves[0].shape[0])
    for i in reversed(count) if reverse else count:
        state, row = fn(state, rebuild([x[i] for x in leaves]))
        rows.append(row)
    return state, stacked(rows[::-1] if reverse else rows)


def stacked(rows: Any) -> Any:
    """Structures of arrays as one structure of stacks."""
    if not rows:
        return None
    leaves = [ops.flatten(row)[0] for row in rows]
    rebuild = ops.flatten(rows[0])[1]
    return rebuild([ops.stack(column) for column in zip(*leaves, strict=True)])


def scan(fn: Any, elems: Any, initializer: Any = None, reverse: bool = False,
         **options: Any) -> Any:  # fmt: skip
    if initializer is not None:
        step = lambda a, x: (lambda new: (new, new))(fn(a, x))
        return map_accumulate(step, initializer, elems, reverse)[1]
    leaves, rebuild = ops.flatten(elems)
    order = range(leaves[0].shape[0])
    order = list(reversed(order)) if reverse else list(order)
    state = rebuild([x[order[0]] for x in leaves])
    rows = [state]
    for i in order[1:]:
        state = fn(state, rebuild([x[i] for x in leaves]))
        rows.append(state)
    return stacked(rows[::-1] if reverse else rows)


def foldl(fn: Any, elems: Any, initializer: Any = None, **options: Any) -> Any:
    leaves, rebuild = ops.flatten(elems)
    entries = [rebuild([x[i] for x in leaves]) for i in range(leaves[0].shape[0])]
    state = initializer
    if state is None:
        state, entries = entries[0], entries[1:]
    for x in entries:
        state = fn(state, x)
    return state


def map(fn: Any, elems: Any, **options: Any) -> Any:
    return map_accumulate(lambda a, x: (a, fn(x)), (), elems)[1]


def fori(lower: Any, upper: Any, body: Any, init: Any, **options: Any) -> Any:
    state = init
    for i in range(int(lower), int(np.asarray(getattr(upper, "value", upper)))):
        state = body(i, state)
    return state
