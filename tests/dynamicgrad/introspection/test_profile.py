"""The profile of an eager step has a row for each operation, forward and backward."""

import pytest

import dynamicgrad as dg
import gradops
from dynamicgrad import nn


def test_each_operation_has_a_row_forward_and_backward_and_they_add_up():
    p = dg.profile(lambda x, w: ((x @ w).tanh() ** 2).mean(), dg.ones(8, 4), dg.ones(4, 3))
    ops = sorted(row.op for row in p.rows if row.op)
    assert ops == [
        "MeanBackward0", "MmBackward0", "PowBackward0", "TanhBackward0", "matmul", "mean", "power",
        "tanh",
    ]  # fmt: skip
    assert p.seconds == pytest.approx(sum(row.seconds for row in p.rows))
    assert sum(row.share for row in p.rows) == pytest.approx(1)
    assert all(row.seconds > 0 for row in p.rows if row.op)
    assert "test_profile.py:" in p.table()


def test_scopes_are_the_paths_of_modules():
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    p = dg.profile(lambda: model(dg.ones(2, 4)).sum(), repeat=1)
    scopes = {row.scope.replace("model/", "").replace("model", ""): row.op for row in p.rows}
    assert {"0", "1", "2", "gradients/0", "gradients/1", "gradients/2"} <= set(scopes)
    assert (scopes["1"], scopes["gradients/1"]) == ("tanh", "TanhBackward0")
    assert not model._forward_hooks
    assert model[0].weight.grad is None


def test_an_operation_of_several_results_has_rows_too():
    layer = nn.LSTM(8, 16)
    rows = dg.profile(lambda: layer(dg.ones(20, 4, 8))[0].sum(), repeat=1).rows
    found = [row for row in rows if "LSTMSequence" in row.op]
    assert len(found) == 2
    assert all(row.seconds > 0 for row in found)


def test_mistakes_are_named():
    with pytest.raises(gradops.OptionError, match="repeat is at least 1, not 0"):
        dg.profile(lambda x: x.sum(), dg.ones(2), repeat=0)
    with pytest.raises(gradops.OptionError, match="it returns no number"):
        dg.profile(lambda x: x.detach().sum(), dg.ones(2))
