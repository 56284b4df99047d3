"""Writes docs/reference/array-api.md from the tables of the array API and its tests."""

import runpy
from pathlib import Path
from typing import Any

from gradops import array_api
from gradops.array_api import dtypes, elementwise, matrices, reducing, shaping, transforms
from gradops.array_api.making import NAMES, OF_FFT

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "array-api.md"
HEADER = """\
# The Python array API

Made from the tables by `make docs`; do not edit.

Tensors and expressions have `__array_namespace__`, and so a function that is written for the
[array API standard](https://data-apis.org/array-api/2025.12/), version 2025.12, runs on them as it
is: its gradient is recorded, or its graph is built. So do the duals and stacks of examples of
`gradops.jvp` and `gradops.vmap`, whose namespace makes NumPy's arrays.

```python
>>> import dynamicgrad as dg
>>> import staticgrad as sg
>>> def spread(x):
...     xp = x.__array_namespace__()
...     return xp.max(x) - xp.min(x) + xp.sum(xp.square(x - xp.mean(x)))
>>> x = dg.tensor([1.0, 2.0, 4.0], requires_grad=True)
>>> spread(x).backward()
>>> x.grad
tensor([-3.6667, -0.6667,  4.3333])
>>> spread(sg.placeholder("float32", ["n"], name="x"))
<add add: float32[]>

```

The namespaces are modules: `dynamicgrad.array_api`, `staticgrad.array_api`, and
`gradops.array_api.arrays` for arrays. They share one table of functions over the ops; only making
values from nothing differs. Signatures are those of the standard, to the kinds of parameters.

```python
>>> from dynamicgrad import array_api as xp
>>> xp.triu(xp.ones((2, 2)), k=1)
tensor([[0., 1.],
        [0., 0.]])

```

So functions of SciPy that follow the standard differentiate, once its environment variable
`SCIPY_ARRAY_API=1` is set: `scipy.special.logsumexp`, `scipy.integrate.trapezoid`,
`scipy.stats.skew`. On expressions do those that ask for no value on their way.

## How it fits in

* **`size`.** To the standard `x.size` is the number of entries, to PyTorch `x.size()` is the shape.
  On a tensor it is both: a number that can be called.
* **dtypes** are NumPy's. Where the standard leaves a promotion open (integers with floats, say), it
  is NumPy 2's. Floats that are made from nothing have the default dtype, float32, as everywhere in
  the two packages; `set_default_dtype` changes it.
* **Complex numbers** are not cast to real ones: `astype` raises DTypeError.
* **DLPack** goes both ways for tensors, with `copy`, `dl_device` and `max_version`. A tensor that
  requires gradients is refused; what is read-only comes back as a tensor that cannot be written to.
* **Expressions** may have sizes that are not known. Where a shape depends on data, as in `x[mask]`,
  `nonzero` and `unique_values`, it has a size of its own. `bool(x)` and its like, which ask for
  a value now, raise ValueUnknownError; expressions are not written to.

```python
>>> x = dg.zeros(2, 3)
>>> x.size, x.size(), x.size(1)
(6, (2, 3), 3)

```

## What is in
"""


def chapters() -> dict[str, list[str]]:
    """The names that the namespaces have, by where they come from."""
    return {
        "making and casting arrays": [*NAMES],
        "data types": ["__array_namespace_info__", *dtypes.FUNCTIONS, *dtypes.DTYPES],
        "constants": [*array_api.CONSTANTS],
        "entry by entry": [*elementwise.ELEMENTWISE],
        "shapes, joining, picking": [*shaping.SHAPING],
        "reductions, order, search, sets": [*reducing.REDUCING],
        "products": [*matrices.PRODUCTS],
        "the extension `linalg`": [f"linalg.{n}" for n in matrices.LINALG],
        "the extension `fft`": [f"fft.{n}" for n in (*transforms.FFT, *OF_FFT)],
    }


def reasons(listed: dict[str, str]) -> str:
    """Names by the reason for which they are left out."""
    found: dict[str, list[str]] = {}
    for name, reason in listed.items():
        found.setdefault(reason, []).append(f"`{name}`")
    return "\n".join(f"| {', '.join(names)} | {reason} |" for reason, names in found.items())


def table(title: str, listed: dict[str, str]) -> str:
    """A table of what is left out."""
    return f"| {title} | why |\n|---|---|\n{reasons(listed)}\n"


def page() -> str:
    """The whole page."""
    out: dict[str, Any] = runpy.run_path(str(ROOT / "tests" / "array_api" / "left_out.py"))
    left = out["LEFT_OUT"]
    rows = [
        f"| {chapter} | {', '.join(f'`{n}`' for n in sorted(names) if n not in left)} |"
        for chapter, names in chapters().items()
    ]
    return "\n".join([
        HEADER, "| | |\n|---|---|", *rows, "", "## What is left out", "",
        "The tests hold these lists to be complete: what works must go from them.\n",
        *([table("of the standard", left)] if left else []),
        table("of the namespace of expressions", out["NOT_SYMBOLIC"]),
        table("special cases, by operands", out["SPECIAL_CASES"]),
    ])  # fmt: skip


if __name__ == "__main__":
    PAGE.write_text(page())
