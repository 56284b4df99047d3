"""Options that PyTorch takes give what they give there."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as ops

CALLS = """
F.avg_pool2d(img, 2, padding=(1,)) ; F.avg_pool2d(img, (2,), stride=(1,)) ; F.max_pool2d(img, (2,))
F.conv2d(img, ker, padding=(1,)) ; F.conv2d(img, ker, stride=(2,), dilation=(1,))
F.gaussian_nll_loss(x, y, 1.0) ; F.gaussian_nll_loss(x, y[0], x.exp())
F.gaussian_nll_loss(x, y, x[:, 0].exp()) ; F.gaussian_nll_loss(x, y, x[:, :1].exp())
F.embedding_bag(i, w, offsets) ; F.embedding_bag(i, w, offsets, mode='sum')
F.embedding_bag(i, w, offsets, mode='max') ; F.embedding_bag(i, w, offsets, padding_idx=1)
F.embedding_bag(i, w, t.tensor([0, 1, 4]), include_last_offset=True)
F.embedding_bag(i.reshape(2, 2), w) ; x.to('cpu', non_blocking=True)
F.embedding_bag(i, w, offsets, mode='sum', per_sample_weights=v)
t.linalg.matrix_rank(x, atol=0.5) ; t.linalg.matrix_rank(x, atol=0.5, rtol=0.9)
t.linalg.matrix_rank(x, 0.5) ; t.linalg.matrix_rank(img, atol=1.5) ; t.linalg.pinv(x, atol=0.5)
t.linalg.pinv(x, 0.5) ; t.allclose(x / 0 * 0, x / 0 * 0, equal_nan=True)
x.contiguous(memory_format=t.contiguous_format) ; img.to(memory_format=t.channels_last)
x.clone(memory_format=t.preserve_format) ; t.zeros_like(x, memory_format=t.preserve_format)
t.zeros(size=(2, 3), layout=None) ; x.new_full(size=(2,), fill_value=1.0)
x.expand(size=(2, 3, 4)) ; x.view(size=(4, 3)) ; x.reshape(shape=(4, 3))
t.take_along_dim(x, t.tensor([0, 3])) ; x.clone().fill_diagonal_(1.0)
x.T.clone().fill_diagonal_(2.0, wrap=True)
"""


def operands(lib):
    """The operands of the calls, by name."""
    rng = np.random.default_rng(0)
    shapes = {
        "x": (3, 4),
        "y": (3, 4),
        "v": (4,),
        "img": (2, 3, 4, 4),
        "ker": (2, 3, 2, 2),
        "w": (5, 2),
    }
    found = {name: lib.tensor(rng.normal(size=shape)) for name, shape in shapes.items()}
    return found | {
        "t": lib, "F": lib.nn.functional,
        "i": lib.tensor([0, 1, 1, 4]), "offsets": lib.tensor([0, 0, 2]),
    }  # fmt: skip


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "call", [c.strip() for c in CALLS.replace("\n", ";").split(";") if c.strip()]
)
def test_a_call_with_options_is_pytorchs(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    with np.errstate(all="ignore"):
        want, got = (eval(call, operands(lib)) for lib in (torch, dg))
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-9, atol=1e-12)
    assert np.shape(got) == np.shape(want)


def test_a_variance_may_not_be_negative():
    with pytest.raises(ValueError, match="negative"):
        dg.nn.functional.gaussian_nll_loss(dg.ones(2), dg.ones(2), -1.0)


def test_gradients_pass_through_bags():
    w = dg.ones(3, 2, requires_grad=True)
    labels, offsets = dg.tensor([0, 1, 1, 2]), dg.tensor([0, 3])
    dg.nn.functional.embedding_bag(labels, w, offsets).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), [[1 / 3] * 2, [2 / 3] * 2, [1.0] * 2], rtol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: dg.nn.functional.lp_pool2d(x, 2, 2),
        lambda x: dg.nn.functional.avg_pool2d(x, 1),
        lambda x: dg.nn.functional.adaptive_avg_pool1d(x, 2),
        lambda x: dg.nn.functional.normalize(x),
        lambda x: dg.nn.functional.layer_norm(x, (3,)),
        lambda x: dg.nn.functional.rms_norm(x, (3, 4), eps=1e-5),
    ],
)
@pytest.mark.parametrize("number", [0.5, True, 2])
def test_a_number_is_an_operand_without_dimensions(call, number):
    with pytest.raises(ops.OperandError):
        call(number)


@pytest.mark.parametrize("pool", ["max_pool{}d", "avg_pool{}d"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_stride_of_zero_is_no_stride_but_an_empty_one_that_of_the_window(pool, n):
    call, x = getattr(dg.nn.functional, pool.format(n)), dg.rand(1, 1, *[4] * n)
    with pytest.raises(ops.OptionError, match="stride should not be zero"):
        call(x, 2, stride=0)
    for stride in ((), [], None):
        assert dg.equal(call(x, 2, stride=stride), call(x, 2, stride=2))
