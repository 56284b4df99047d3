"""Writes the table of outcomes anew, with the torch that is installed.

python -m tests.agreement.promotion
"""

import torch

from .calls import CALLS
from .outcomes import described, outcome
from .table import PATH, written


def words_of(call):
    """The outcomes of a call in torch for each of its operands, in words."""
    code = compile(call, call, "eval")
    return [described(outcome(torch, code, specs)) for specs in CALLS[call]]


if __name__ == "__main__":
    PATH.write_text(written({call: words_of(call) for call in CALLS}), encoding="utf-8")
