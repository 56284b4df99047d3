"""What counts entries, and what is refused."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import AxisError, DTypeError, OptionError, ShapeError, TapeError


def test_entries_are_counted_in_bins():
    x = dg.tensor([1.0, 2.0, 1.0, 5.0], requires_grad=True)
    assert dg.histc(x, bins=4, min=0, max=4).tolist() == [0, 2, 1, 0]
    assert dg.histc(x, bins=2).tolist() == [3, 1]
    assert dg.histc(dg.zeros(0), bins=2).tolist() == [0, 0]
    assert not dg.histc(x).requires_grad


def test_weights_are_added_up_and_have_gradients():
    w = dg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = dg.bincount(dg.tensor([2, 0, 2]), w, minlength=4)
    assert y.tolist() == [2, 0, 4, 0]
    (y * y).sum().backward()
    assert w.grad.tolist() == [8, 4, 8]


def test_a_rounding_that_does_not_exist_is_refused():
    with pytest.raises(OptionError, match="rounding_mode is 'floor' or 'trunc', not up"):
        dg.div(dg.ones(2), 2, rounding_mode="up")


def test_a_formula_in_place_keeps_to_the_rules_of_writes():
    x = dg.ones(2, requires_grad=True)
    with pytest.raises(TapeError):
        x.lerp_(dg.zeros(2), 0.5)
    with dg.no_grad():
        assert x.lerp_(dg.zeros(2), 0.5) is x
    np.testing.assert_array_equal(x.detach().numpy(), [0.5, 0.5])


BYTES = dg.tensor([1, 2], dtype="uint8")


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: dg.bincount(dg.tensor([[1]])), ShapeError, "in a vector"),
        (lambda: dg.bincount(dg.tensor([-1])), ShapeError, "non-negative integers"),
        (lambda: dg.bincount(dg.tensor([0.5])), ShapeError, "non-negative integers"),
        (lambda: dg.bincount(dg.tensor([1]), minlength=-1), OptionError, "at least 0, not -1"),
        (lambda: dg.histc(dg.ones(2), bins=0), OptionError, "bins must be at least 1, not 0"),
        (lambda: dg.histc(dg.tensor([1.0, dg.inf])), OptionError, r"\[1.0, inf\] is not a range"),
        (lambda: dg.unflatten(dg.ones(3), 0, (0, -1)), ShapeError, "is ambiguous"),
        (lambda: dg.trapezoid(dg.tensor(1.0)), AxisError, "axis -1 is out of range"),
        (lambda: dg.masked_fill(BYTES, BYTES > 1, dg.inf), DTypeError, "inf is not a uint8"),
        (lambda: dg.masked_fill(BYTES, BYTES > 1, 300), DTypeError, "300 is not a uint8"),
        (lambda: dg.masked_fill(BYTES, BYTES, 3), DTypeError, "only supports boolean masks"),
        (lambda: dg.ones(2).masked_fill_(BYTES, 3), DTypeError, "only supports boolean masks"),
        (lambda: dg.nn.functional.pad(dg.ones(3), (1,)), ShapeError, "has no pair of widths"),
        (lambda: dg.nn.functional.pad(dg.ones(3), (1, 1, 1, 1)), ShapeError, "has no pair"),
        (lambda: dg.nn.functional.one_hot(dg.arange(0)), ShapeError, "how many classes"),
        (lambda: dg.median(dg.ones(2, 2), (0,)), OptionError, "an integer, not \\(0,\\)"),
        (lambda: dg.nanmedian(dg.ones(2, 2), 2), AxisError, "2 is out of range"),
        (lambda: dg.allclose(dg.ones(2), dg.ones(3)), ShapeError, "do not broadcast"),
        (
            lambda: (dg.ones(1) * 1j).scatter_reduce(0, dg.tensor([0]), dg.ones(1) * 1j, "amax"),
            DTypeError,
            "have no order",
        ),
        (lambda: BYTES**-1, DTypeError, "are not integers"),
        (lambda: BYTES.fill_(300), DTypeError, "300 is not a uint8"),
    ],
)
def test_what_cannot_be_is_refused_in_words(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_a_number_among_the_operands_of_a_formula_is_a_tensor_of_the_default_dtype():
    assert dg.ldexp(dg.ones(1), 3).tolist() == [8]
    assert dg.kron(dg.ones(2), 0.5).tolist() == [0.5, 0.5]
    assert dg.kron(dg.ones(2), 0.5).dtype == dg.float32


def test_a_number_that_integers_do_not_have_wraps_around():
    assert (BYTES + 300).tolist() == [(x + 300) % 256 for x in BYTES.tolist()]
    assert (BYTES & -1).tolist() == BYTES.clone().add_(256).tolist() == BYTES.tolist()


def test_integers_are_close_by_their_distance_which_does_not_wrap_around():
    assert dg.isclose(BYTES, BYTES + 1, atol=1.0).tolist() == [True, True]
    assert not dg.isclose(dg.tensor([True]), dg.tensor([False])).any()


def test_a_filled_tensor_keeps_its_dtype():
    mask = dg.tensor([True, False])
    assert dg.masked_fill(dg.tensor([1j, 2j]), mask, 1.5).tolist() == [1.5, 2j]
    assert dg.masked_fill(mask, mask, 0).dtype == dg.bool


def test_truth_values_have_a_least_and_a_greatest():
    x, first = dg.tensor([True, False]), dg.tensor([0, 0])
    y = dg.tensor([True, False])
    found = x.scatter_reduce(0, first, y, "amin", include_self=False)
    assert found.tolist() == [False, False]


def test_a_row_that_is_not_finite_spoils_only_its_own_correlations():
    with np.errstate(invalid="ignore"):
        found = dg.corrcoef(dg.tensor([[0.0, 1.0, 0.0], [1.0, dg.inf, 0.0], [0.0, -1.0, 0.0]]))
    assert found[0, 2].item() == pytest.approx(-1)
    assert found[1].isnan().all()


def test_entries_that_are_all_equal_are_in_the_middle_of_their_bins():
    assert dg.histc(dg.ones(2), bins=4).tolist() == [0, 0, 2, 0]
