"""PyTorch's `torch.utils`: the name is PyTorch's, so it is here although it says little.

Of its parts `tensorboard` is here; an error says where others are.
"""

from typing import Any as _Any

from ..names.missing_names import missing_util as _missing
from . import tensorboard

__all__ = ["tensorboard"]


def __getattr__(name: str) -> _Any:
    raise _missing(name)
