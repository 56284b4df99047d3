"""Errors keep the words by which users of PyTorch know them, and its kinds of exceptions."""

# ruff: noqa: E501  (a phrase stands on one line)

import re

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from dynamicgrad.dispatch.torch_phrases import PHRASES

ROWS = """
    t.ones(2,3)@t.ones(2,3) : mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
    t.ones(3)@t.ones(2,3) : mat1 and mat2 shapes cannot be multiplied (1x3 and 2x3)
    t.nn.Linear(3,2)(t.ones(2,4)) : mat1 and mat2 shapes cannot be multiplied (2x4 and 3x2)
    t.mv(t.ones(2,3),t.ones(2)) : size mismatch, got input (2), mat (2x3), vec (2)
    t.dot(t.ones(2),t.ones(3)) : inconsistent tensor size, expected tensor [2] and src [3]
    t.bmm(t.ones(2,3,4),t.ones(2,3,4)) : two dimensions of batch2 tensor to be: [2, 4] but got: [2, 3]
    t.ones(2,3)+t.ones(2,4) : The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1
    t.cat([t.ones(2,3),t.ones(2,4)]) : Sizes of tensors must match except in dimension 0
    t.cat([]) : expected a non-empty list of Tensors
    t.stack([t.ones(2),t.ones(3)]) : stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1
    t.ones(6).reshape(4,2) : shape '[4, 2]' is invalid for input of size 6
    t.ones(6).view(4,2) : shape '[4, 2]' is invalid for input of size 6
    t.ones(6).reshape(-1,-1) : only one dimension can be inferred
    t.ones(2,3).expand(2,4) : The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1.  Target sizes: [2, 4].  Tensor sizes: [2, 3]
    t.ones(2,3).expand(3) : the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (2)
    t.ones(2,3).sum(2) : Dimension out of range (expected to be in range of [-2, 1], but got 2)
    t.ones(2,3).mean(-3) : Dimension out of range (expected to be in range of [-2, 1], but got -3)
    t.ones(2,3).softmax(5) : Dimension out of range (expected to be in range of [-2, 1], but got 5)
    t.ones(2,3).max(3) : Dimension out of range (expected to be in range of [-2, 1], but got 3)
    t.ones(2,3).unsqueeze(4) : Dimension out of range (expected to be in range of [-3, 2], but got 4)
    t.ones(2,3).squeeze(4) : Dimension out of range (expected to be in range of [-2, 1], but got 4)
    t.ones(2,3).flatten(3) : Dimension out of range (expected to be in range of [-2, 1], but got 3)
    t.ones(2,3).transpose(0,2) : Dimension out of range (expected to be in range of [-2, 1], but got 2)
    t.tensor(1.).sum(1) : Dimension out of range (expected to be in range of [-1, 0], but got 1)
    t.ones(2,3).sum((0,0)) : dim 0 appears multiple times in the list of dims
    t.ones(2,3).flip(0,0) : dim 0 appears multiple times in the list of dims
    t.ones(2,3).permute(0) : number of dimensions in the tensor input does not match the length
    t.ones(1,2,3).t() : t() expects a tensor with <= 2 dimensions
    F.cross_entropy(t.ones(1,3),t.tensor([5])) : Target 5 is out of bounds
    F.nll_loss(t.ones(1,3),t.tensor([5])) : Target 5 is out of bounds
    F.cross_entropy(t.ones(2,3),t.tensor([1])) : Expected input batch_size (2) to match target batch_size (1)
    F.binary_cross_entropy(t.ones(2),t.ones(3)) : that is different to the input size
    t.ones(3)[5] : index 5 is out of bounds for dimension 0 with size 3
    t.ones(3)[t.tensor([5])] : index 5 is out of bounds for dimension 0 with size 3
    t.ones(3)[1,2] : too many indices for tensor of dimension 1
    t.ones(3)[t.tensor([True,False])] : The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3] at index 0
    t.ones(2).item() : a Tensor with 2 elements cannot be converted to Scalar
    t.ones(2,3).t().view(6) : view size is not compatible with input tensor's size and stride
    t.ones(3).add_(t.ones(2,3)) : output with shape [3] doesn't match the broadcast shape [2, 3]
    t.ones(2,requires_grad=True).backward(t.ones(3)) : Mismatch in shape: grad_output[0] has a shape of
    t.ones(2,requires_grad=True).backward() : grad can be implicitly created only for scalar outputs
    t.ones(2,3).narrow(0,1,5) : start (1) + length (5) exceeds dimension size (2)
    F.conv2d(t.ones(1,2,4,4),t.ones(3,2,2,2),stride=0) : non-positive stride is not supported
    F.conv2d(t.ones(1,2,4,4),t.ones(3,3,2,2)) : to have 3 channels, but got 2 channels instead
    F.conv2d(t.ones(1,2,4,4),t.ones(4,3,2,2),groups=2) : to have 6 channels, but got 2 channels instead
    F.conv2d(t.ones(1,2,1,1),t.ones(3,2,2,2)) : Kernel size can't be greater than actual input size
    F.conv2d(t.ones(1,2,4,4),t.ones(3,2,2,2),padding=-1) : negative padding is not supported
    F.conv_transpose2d(t.ones(1,2,4,4),t.ones(2,3,2,2),output_padding=1) : output padding must be smaller than either stride or dilation
    F.max_pool2d(t.ones(1,1,4,4),2,stride=(0,1)) : stride should not be zero
    F.max_pool2d(t.ones(1,1,4,4),2,padding=2) : pad should be at most half of effective kernel size
    F.max_pool2d(t.ones(1,1,2,2),3) : Output size is too small
    F.fold(t.ones(1,4,5),(4,4),(2,2)) : to match the calculated number of sliding blocks
    F.group_norm(t.ones(2,3),2) : Expected number of channels in input to be divisible by num_groups
    t.linalg.solve(t.ones(2,2),t.ones(3,1)) : Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)
    t.linalg.lstsq(t.ones(2,3),t.ones(3,1)) : input.size(-2) should match other.size(-2)
    t.linalg.inv(t.ones(2,3)) : A must be batches of square matrices
    t.linalg.inv(t.ones(2)) : The input tensor A must have at least 2 dimensions.
    t.ones(3).topk(5) : selected index k out of range
    bool(t.ones(2)) : Boolean value of Tensor with more than one value is ambiguous
    len(t.tensor(1.)) : len() of a 0-d tensor
    iter(t.tensor(1.)) : iteration over a 0-d tensor
"""
PAIRS = [tuple(part.strip() for part in row.split(" : ", 1)) for row in ROWS.strip().splitlines()]
every_row = pytest.mark.parametrize(("call", "phrase"), PAIRS, ids=[call for call, _ in PAIRS])


def refused(t, call):
    try:
        eval(call, {"t": t, "F": t.nn.functional})
    except Exception as error:
        return error
    pytest.fail(f"{call} is not refused")


@every_row
def test_an_error_has_the_phrase(call, phrase):
    assert phrase in str(refused(dg, call))


@pytest.mark.peers
@every_row
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_it_is_pytorchs_phrase_and_kind_of_error(call, phrase):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    theirs = refused(torch, call)
    assert phrase in re.sub(r"torch\.Size\((\[.*?\])\)", r"\1", str(theirs))
    assert isinstance(refused(dg, call), type(theirs))


def test_a_dimension_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="an axis is an integer, not 'a'"):
        dg.ones(2, 3).sum("a")


def test_every_row_of_the_table_is_the_reason_of_an_error():
    reasons = [getattr(refused(dg, call), "reason", "") for call, _ in PAIRS]
    unused = [row for row in PHRASES if not any(re.match(row, reason) for reason in reasons)]
    assert not unused


def test_functions_of_numpy_and_gradops_on_tensors_have_the_words_of_pytorch():
    with pytest.raises(ValueError, match="mat1 and mat2 shapes cannot be multiplied"):
        gradops.matmul(dg.ones(2, 3), dg.ones(2, 3))
    with pytest.raises(ValueError, match="Sizes of tensors must match except in dimension 0"):
        np.concatenate([dg.array(np.ones((2, 3))), dg.array(np.ones((2, 4)))])


def test_arrays_leave_pytorchs_words_out():
    with pytest.raises(ValueError, match="inner dimensions") as caught:
        gradops.matmul(np.ones((2, 3)), np.ones((2, 3)))
    assert "known as" not in str(caught.value)


def test_graphs_leave_pytorchs_words_out():
    import staticgrad as sg

    with sg.Graph().as_default():
        x = sg.placeholder("float32", (2, 3))
        with pytest.raises(ValueError, match="inner dimensions") as caught:
            x @ x
    assert "known as" not in str(caught.value)
