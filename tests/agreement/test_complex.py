"""Complex numbers: gradients are dL/da + i dL/db, in both modes, and PyTorch's."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops import abs, angle, conj, cos, imag, matmul, real, sin, square, sum

rng = np.random.default_rng(0)
Z, W = (rng.normal(size=3) + 1j * rng.normal(size=3) for _ in "ab")
A = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
R = rng.normal(size=3)
FUNCTIONS = {
    "product": lambda z, w, a, r: z * w, "quotient": lambda z, w, a, r: z / w,
    "power": lambda z, w, a, r: z**w, "square": lambda z, w, a, r: z**2,
    "exp": lambda z, w, a, r: gradops.exp(z), "log": lambda z, w, a, r: gradops.log(z),
    "sin and cos": lambda z, w, a, r: sin(z) * cos(w),
    "sqrt": lambda z, w, a, r: gradops.sqrt(z), "tanh": lambda z, w, a, r: gradops.tanh(z),
    "abs": lambda z, w, a, r: abs(z) * w, "direction": lambda z, w, a, r: gradops.sign(z) * w,
    "real": lambda z, w, a, r: real(z) * w, "imag": lambda z, w, a, r: imag(z) * real(w),
    "conj": lambda z, w, a, r: conj(z) * w, "angle": lambda z, w, a, r: angle(z) * w,
    "matmul": lambda z, w, a, r: matmul(a, z), "with reals": lambda z, w, a, r: r * z + r,
    "complex": lambda z, w, a, r: gradops.complex(r, r * 2) * z,
    "broadcast": lambda z, w, a, r: a * z, "sum": lambda z, w, a, r: sum(z) * w,
    "where": lambda z, w, a, r: gradops.where(r > 0, z, w), "parts": lambda z, w, a, r: z[1:] * 2j,
    "concatenate": lambda z, w, a, r: gradops.OPS["concatenate"](z, w, axis=0) * 2j,
    "astype": lambda z, w, a, r: gradops.astype(r, dtype="complex128") * z,
}  # fmt: skip
every_function = pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)


def loss(f, z, w, a, r):
    return sum(square(abs(f(z, w, a, r))))


def leaves():
    return [dg.tensor(x, requires_grad=True) for x in (Z, W, A, R)]


def tape_gradients(f):
    xs = leaves()
    found = dg.autograd.grad(loss(f, *xs), xs, materialize_grads=True)
    return [g.numpy() for g in found]


@every_function
def test_the_gradient_has_the_derivatives_by_both_parts(f):
    directions = [x + 1j * x[::-1] if np.iscomplexobj(x) else x[::-1] for x in (Z, W, A, R)]
    step = 1e-6
    ends = [loss(f, *(x + s * d for x, d in zip((Z, W, A, R), directions))) for s in (step, -step)]
    got = np.sum([np.real(np.conj(g) * d).sum() for g, d in zip(tape_gradients(f), directions)])
    np.testing.assert_allclose(got, (ends[0] - ends[1]) / (2 * step), rtol=1e-6)


@every_function
def test_a_gradient_has_the_dtype_of_what_it_is_by(f):
    assert [g.dtype for g in tape_gradients(f)] == [np.complex128] * 3 + [np.float64]


@every_function
def test_a_graph_has_the_same_bits(f):
    with sg.Graph().as_default():
        types = [("complex128", (3,))] * 2 + [("complex128", (3, 3)), ("float64", (3,))]
        xs = [sg.placeholder(*type) for type in types]
        found = sg.gradients(loss(f, *xs), xs, unconnected="zero")
        for level in (0, 1):
            values = sg.compile(found, xs, optimize=level)(Z, W, A, R)
            for a, b in zip(values, tape_gradients(f), strict=True):
                np.testing.assert_array_equal(a, b)


@every_function
def test_second_derivatives(f):
    assert dg.autograd.gradgradcheck(lambda *xs: loss(f, *xs), leaves())


def test_a_complex_output_needs_a_weight():
    z = dg.tensor(1 + 2j, requires_grad=True)
    with pytest.raises(RuntimeError, match="only for real scalar outputs but got complex"):
        (z * z).backward()
    (z * z).backward(dg.tensor(1 + 0j))
    assert z.grad.item() == 2 - 4j
    with sg.Graph().as_default():
        x = sg.placeholder("complex128", ())
        with pytest.raises(gradops.DTypeError, match="weighted real part"):
            sg.gradients(x * x, x)
        (g,) = sg.gradients(x * x, x, grad_ys=sg.constant(np.complex128(1)))
        assert sg.compile(g, [x])(1 + 2j) == 2 - 4j


def test_tangents_are_not_conjugated():
    _, tangent = gradops.jvp(lambda z: z * z, [Z], [W])
    np.testing.assert_allclose(tangent, 2 * Z * W)
    np.testing.assert_allclose(gradops.jvp(abs, [Z], [W])[1], np.real(np.conj(Z) * W) / np.abs(Z))


def test_gradcheck_takes_complex_inputs_and_outputs():
    z = dg.tensor(Z, requires_grad=True)
    assert dg.autograd.gradcheck(lambda z: dg.exp(z) * z.conj(), z)
    assert dg.autograd.gradgradcheck(lambda z: (abs(z) ** 2).sum(), z)


def test_writes_in_place_and_views():
    z = dg.tensor(Z, requires_grad=True)
    y = z * 1j
    y[0] = 2j
    v = y[1:]
    v.mul_(3)
    (abs(y) ** 2).sum().backward()
    np.testing.assert_allclose(z.grad.numpy(), [0, *(18 * Z[1:])])


ORDERING = [gradops.relu, gradops.max, lambda z: gradops.maximum(z, 0), gradops.softmax]


@pytest.mark.parametrize("f", ORDERING)
def test_what_orders_numbers_has_no_complex_gradient(f):
    with pytest.raises(gradops.NoKernelError, match="it is not computed for complex128"):
        f(dg.tensor(Z))
    with pytest.raises(gradops.NotDifferentiableError, match="of complex numbers has no gradient"):
        dg.grad(lambda z: abs(f(z)).sum())(Z)
    assert f(dg.array(Z)).dtype == np.complex128
    with sg.Graph().as_default():
        x = sg.placeholder("complex128", (3,))
        with pytest.raises(gradops.NotDifferentiableError, match="of complex numbers has no"):
            sg.gradients(abs(sum(f(x))), x)


BASES = [-2.0, -0.5, 0.0, 0.5, 2.0, -2 + 0j, -0.5 + 1j, 0j, 2 + 0j, 1 - 1j]
EXPONENTS = [-2.0, -0.5, 0.0, 0.5, 1.0, 3.0, -2 + 0j, 0.5 + 1j, 0j, 1 - 1j, 1 + 0j]
powers = pytest.mark.parametrize("b", EXPONENTS)


def gradients_of_a_power(lib, a, b):
    """The gradients of the real part of a power, in base and exponent."""
    x, y = (lib.tensor(np.array(v), requires_grad=True) for v in (a, b))
    z = x**y
    found = lib.autograd.grad(z, [x, y], lib.tensor(np.ones((), np.result_type(a, b))))
    return [g.resolve_conj().numpy() if hasattr(g, "resolve_conj") else g.numpy() for g in found]


@powers
@pytest.mark.parametrize("a", BASES)
@pytest.mark.filterwarnings("ignore")
def test_a_power_has_the_gradients_of_its_formula(a, b):
    """Of a negative base and a complex exponent the logarithm is complex; torch agrees."""
    if a == 0:
        wanted = [None, 0 if np.real(b) >= 0 else None]  # none, or a convention
    else:
        wide = np.asarray(a, np.result_type(a, b))
        wanted = [np.conj(b * wide ** (b - 1)), np.conj(wide**b * np.log(wide))]
    for got, want, of in zip(gradients_of_a_power(dg, a, b), wanted, (a, b), strict=True):
        if want is not None:
            want = want if np.iscomplexobj(of) else np.real(want)
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@powers
@pytest.mark.parametrize("a", BASES)
@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
def test_torch_has_the_same_gradients_of_powers(a, b):
    torch = pytest.importorskip("torch")
    ours, theirs = (gradients_of_a_power(lib, a, b) for lib in (dg, torch))
    for got, want in zip(ours, theirs, strict=True):
        if a != 0 or np.all(np.isfinite(want)):  # torch's powers of a complex 0 are NaN
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_a_dtype_that_numpy_does_not_compute_is_named():
    with pytest.raises(gradops.DTypeError, match=r"floor\(complex128\[3\]\): NumPy does not"):
        gradops.floor(Z)
