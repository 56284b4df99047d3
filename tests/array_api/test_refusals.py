"""What the functions refuse: axes and devices that there are not, arrays that do not fit."""

import numpy as np
import pytest

import staticgrad as sg
from dynamicgrad import array_api as eager
from gradops import AxisError, GradError, OptionError, ShapeError
from staticgrad import array_api as symbolic

from .comparing import converted
from .left_out import LEFT_OUT
from .standard import FUNCTIONS, SIGNATURES, found_in
from .test_conformance import CALLS

SPACES = [eager, symbolic]
every_space = pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
OFFERED = [n for n in FUNCTIONS if n not in LEFT_OUT and n in SIGNATURES]
WITH_AXIS = [n for n in OFFERED if "axis" in SIGNATURES[n].parameters]
WITH_DEVICE = [n for n in OFFERED if "device" in SIGNATURES[n].parameters]
ONE_SHAPE = {"broadcast_to": ((2, 3), (4,)), "reshape": ((2, 3), (4, 2))}


@pytest.mark.parametrize("name", WITH_AXIS)
@every_space
def test_an_axis_that_is_not_there_is_refused(name, space):
    given = CALLS[name][0].args
    if name in ("expand_dims", "squeeze"):  # whose axis may come by position
        given = given[:1]
    with sg.Graph().as_default():
        args = converted(given, space.asarray, space)
        with pytest.raises((AxisError, ShapeError), match="77"):
            found_in(space, name)(*args, axis=77)


@pytest.mark.parametrize("name", [n for n in WITH_DEVICE if n != "from_dlpack"])
@every_space
def test_a_device_that_is_not_there_is_refused(name, space):
    arguments = {"full": ((2,), 1), "full_like": (space.asarray([1]), 1), "linspace": (0, 1, 3)}
    wants_array = name.endswith("_like") or name == "astype"
    with sg.Graph().as_default():
        args = arguments.get(name) or ((space.asarray([1]),) if wants_array else (3,))
        args = (*args, space.int8) if name == "astype" else args
        with pytest.raises(OptionError, match="no device 'gpu'"):
            found_in(space, name)(*args, device="gpu")


@pytest.mark.parametrize("name", ONE_SHAPE)
@every_space
def test_a_shape_that_does_not_fit_is_refused(name, space):
    before, after = ONE_SHAPE[name]
    with sg.Graph().as_default(), pytest.raises(ShapeError):
        getattr(space, name)(space.ones(before), after)


@pytest.mark.parametrize("name", ["add", "matmul", "concat"])
@every_space
def test_arrays_that_do_not_fit_are_refused(name, space):
    with sg.Graph().as_default():
        x, y = space.ones((2, 3)), space.ones((4, 5))
        with pytest.raises(ShapeError):
            getattr(space, name)(*([[x, y]] if name == "concat" else [x, y]))


def test_shapes_that_do_not_broadcast_are_refused():
    with pytest.raises(ValueError, match="do not broadcast"):
        eager.broadcast_shapes((2,), (3,))


@every_space
def test_a_norm_that_is_not_there_is_refused(space):
    with sg.Graph().as_default(), pytest.raises(OptionError, match="no norm 3 of matrices"):
        space.linalg.matrix_norm(space.ones((2, 2)), ord=3)


@every_space
def test_the_extremes_of_nothing_are_refused(space):
    with sg.Graph().as_default():
        for f in (space.max, space.min, space.argmax, space.argmin):
            with pytest.raises(GradError, match="empty"):
                f(space.zeros((0, 3)))


@every_space
def test_what_is_no_array_is_refused(space):
    with sg.Graph().as_default():
        for wrong in (["a"], object(), np.array(["x"])):
            with pytest.raises((GradError, TypeError, ValueError)):
                space.asarray(wrong)
