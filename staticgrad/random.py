"""Random numbers as functions of a key, by the names of JAX's `random`.

The functions are those of `gradops.random`. A key is a constant, so what is drawn with it is the
same in each run; `sg.random_key` makes keys that are others in each run.

>>> key = sg.random.key(0)
>>> x = sg.random.normal(key, (3,))
>>> bool(np.all(sg.Session().run(x) == sg.Session().run(x)))
True
"""

import gradops as ops
from gradops import random as shared
from gradops.random import *  # noqa: F403  # what it lists, and no more

from .build.inputs import constant
from .ir.expr import Expr

__all__ = shared.__all__


def key(seed: int, *words: int) -> Expr:  # type: ignore[no-redef]  # in place of the shared one
    """The key of a seed, as an expression: what is drawn with it are expressions.

    >>> sg.random.key(0).dtype
    dtype('uint64')
    """
    return constant(ops.random_key(seed, *words))
