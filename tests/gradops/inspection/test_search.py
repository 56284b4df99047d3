"""The search for nodes; that pages find the same is tested in a browser."""

import pytest

from gradops.core.errors import OptionError
from gradops.inspection.model import NodeView, Role, SourceLine
from gradops.inspection.search import Subject, fits, fits_shape, search

X = NodeView(
    0, "x", "placeholder", shape=("batch", 10), dtype="float32", role=Role.INPUT, nbytes=400
)
PLACE = SourceLine("/home/a/model.py", 12, "layer", "h = x @ w")
H = NodeView(
    1, "blocks/0/attn/q", "matmul", (0, 0), ("batch", 10), "float32", Role.FORWARD, "blocks/0/attn",
    places=(PLACE,), nbytes=2_000_000, outputs=("d loss / d w",),
)  # fmt: skip
SUBJECTS = [Subject(X, readers=1), Subject(H, seconds=2e-3, share=0.25)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [0, 1]), ("Q", [1]), ("op:mat*", [1]), ("op:mat", []), ("-op:matmul", [0]),
        ("shape:*,10", [0, 1]), ("shape:batch,...", [0, 1]), ("shape:", []),
        ("scope:blocks.0", [1]),
        ("scope:blocks", [1]), ("scope:block", []), ("line:model.py:12", [1]), ("line:12", [1]),
        ("line:model.py", [1]), ("line:odel.py", []), ("time>5%", [1]), ("time>1ms", [1]),
        ("time<1ms", []), ("bytes>=2MB", [1]), ("bytes<1kB", [0]), ("operands=2", [1]),
        ("readers>0", [0]), ("output:d w", []), ('"output:d w"', [1]), ("role:input", [0]),
        ("dtype:float* q", [1]), ("name:*/q", [1]), ("name:attn", [1]),
    ],
)  # fmt: skip
def test_a_query_finds(query, found):
    assert search(SUBJECTS, query) == found


def test_a_bad_number_is_an_error():
    with pytest.raises(OptionError, match="has no number with a unit after >"):
        search(SUBJECTS, "time>5")


def test_patterns():
    assert fits("a*b*c", "abc")
    assert fits("*", "")
    assert not fits("aa*aa", "aaa")
    assert fits_shape(["..."], [])
    assert not fits_shape(["...", "3"], [])
