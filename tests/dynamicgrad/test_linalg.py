"""`dg.linalg` and `dg.fft` beside PyTorch: values, first and second gradients."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg


def square(seed=0, *batch):
    return np.random.default_rng(seed).normal(size=(*batch, 3, 3)) + 2 * np.eye(3)


def positive(t, x):
    return x @ x.mH + 3 * t.eye(x.shape[-1], dtype=x.dtype)


def symmetric(t, x):
    return x + x.mH


# Calls as a user writes them: `t` is the library, `x` and `y` matrices that require gradients.
CALLS = {
    "solve": [
        lambda t, x, y: t.linalg.solve(x, y), lambda t, x, y: t.linalg.solve(x, y, left=False),
        lambda t, x, y: t.linalg.solve(x, y[:, 0]),
        lambda t, x, y: t.linalg.solve(t.stack([x, y]), t.stack([y[0], x[0]])),
    ],
    "inv": [lambda t, x, y: t.linalg.inv(x), lambda t, x, y: t.stack([x, y]).inverse()],
    "det": [lambda t, x, y: t.linalg.det(x), lambda t, x, y: t.stack([x, y]).det()],
    "slogdet": [lambda t, x, y: t.linalg.slogdet(x), lambda t, x, y: x.slogdet()],
    "logdet": [lambda t, x, y: t.logdet(positive(t, x))],
    "cholesky": [
        lambda t, x, y: t.linalg.cholesky(positive(t, x)),
        lambda t, x, y: t.linalg.cholesky(positive(t, x), upper=True),
        lambda t, x, y: t.cholesky_solve(y, t.linalg.cholesky(positive(t, x))),
        lambda t, x, y: t.cholesky_inverse(t.linalg.cholesky(positive(t, x))),
        lambda t, x, y: t.cholesky_inverse(t.linalg.cholesky(positive(t, x), upper=True), True),
    ],
    "triangular": [
        lambda t, x, y: t.linalg.solve_triangular(x, y, upper=True),
        lambda t, x, y: t.linalg.solve_triangular(x, y, upper=False, unitriangular=True),
        lambda t, x, y: t.linalg.solve_triangular(x, y, upper=True, left=False),
    ],
    "qr": [
        lambda t, x, y: t.linalg.qr(x), lambda t, x, y: t.linalg.qr(x[:, :2]),
        lambda t, x, y: t.linalg.qr(x[:2]), lambda t, x, y: t.linalg.qr(x, mode="complete"),
    ],
    "eigh": [
        lambda t, x, y: t.linalg.eigh(symmetric(t, x)).eigenvalues,
        lambda t, x, y: t.linalg.eigh(symmetric(t, x), UPLO="U").eigenvectors.abs() ** 2,
        lambda t, x, y: t.linalg.eigvalsh(symmetric(t, x)),
        lambda t, x, y: t.linalg.eigvalsh(positive(t, x)),
    ],
    "eig": [
        lambda t, x, y: t.linalg.eig(x).eigenvalues.abs().sum(),
        lambda t, x, y: (t.linalg.eigvals(x).abs() ** 2).sum(),
        lambda t, x, y: (t.linalg.eig(x).eigenvectors.abs() ** 4).sum(),
    ],
    "svd": [
        lambda t, x, y: t.linalg.svd(x).S, lambda t, x, y: t.linalg.svdvals(x[:, :2]),
        lambda t, x, y: t.linalg.svd(x).U.abs() ** 2, lambda t, x, y: t.linalg.svd(x)[2].abs() ** 2,
        lambda t, x, y: t.linalg.svd(x[:, :2], full_matrices=False).U.abs() ** 2,
        lambda t, x, y: t.linalg.svd(x[:2], full_matrices=False).Vh.abs() ** 2,
    ],
    "formerly": [
        lambda t, x, y: t.svd(x)[1], lambda t, x, y: t.svd(x[:, :2])[2].abs() ** 2,
        lambda t, x, y: t.svd(x, compute_uv=False)[1], lambda t, x, y: t.qr(x),
        lambda t, x, y: t.addbmm(x, t.stack([x, y]), t.stack([y, y]), beta=0.5),
        lambda t, x, y: t.norm(x, "nuc"), lambda t, x, y: t.norm(x, "nuc", dim=(0, 1)),
    ],
    "pinv": [
        lambda t, x, y: t.linalg.pinv(x[:2]), lambda t, x, y: t.linalg.pinv(x[:, :2]),
        lambda t, x, y: x.pinverse(),
        lambda t, x, y: t.linalg.pinv(symmetric(t, x), hermitian=True),
    ],
    "lstsq": [
        lambda t, x, y: t.linalg.lstsq(x[:, :2], y).solution,
        lambda t, x, y: t.linalg.lstsq(x, y).solution,
    ],
    "functions": [
        lambda t, x, y: t.linalg.matrix_exp(x / 2), lambda t, x, y: t.matrix_exp(x * 0.1),
        lambda t, x, y: t.linalg.matrix_power(x, 5), lambda t, x, y: t.matrix_power(x, -2),
        lambda t, x, y: x.matrix_power(0) * x,
    ],
    "norms": [
        lambda t, x, y: t.linalg.norm(x), lambda t, x, y: t.linalg.norm(x[0], ord=3),
        lambda t, x, y: t.linalg.matrix_norm(x), lambda t, x, y: t.linalg.matrix_norm(x, "nuc"),
        lambda t, x, y: t.linalg.matrix_norm(x, 1), lambda t, x, y: t.linalg.norm(x, float("inf")),
        lambda t, x, y: t.linalg.matrix_norm(x, 2), lambda t, x, y: t.linalg.matrix_norm(x, -2),
        lambda t, x, y: t.linalg.norm(x, ord=1, dim=0),
        lambda t, x, y: t.linalg.norm(x, dim=(0, 1), keepdim=True),
        lambda t, x, y: t.linalg.vector_norm(x, dim=1),
        lambda t, x, y: t.linalg.cond(x, -2) if x.dtype == t.float64 else x,
    ],
    "products": [
        lambda t, x, y: t.trace(x), lambda t, x, y: t.outer(x[0], y[0]),
        lambda t, x, y: t.kron(x, y),
        lambda t, x, y: t.tensordot(x, y, 1), lambda t, x, y: t.tensordot(x, y, ([0], [1])),
        lambda t, x, y: t.linalg.cross(x, y), lambda t, x, y: t.linalg.cross(x, y, dim=0),
        lambda t, x, y: t.linalg.vecdot(x, y), lambda t, x, y: t.vdot(x[0], y[0]),
        lambda t, x, y: t.inner(x, y), lambda t, x, y: t.linalg.multi_dot([x, y, x[:, 0]]),
        lambda t, x, y: t.linalg.diagonal(x, offset=1), lambda t, x, y: x.adjoint(),
        lambda t, x, y: t.addmm(x, x, y, beta=2, alpha=0.5), lambda t, x, y: t.addmv(x[0], x, y[0]),
        lambda t, x, y: t.addr(x, x[0], y[0]), lambda t, x, y: x.H,
        lambda t, x, y: t.linalg.vander(x[0], N=4),
        lambda t, x, y: t.linalg.tensorsolve(x.reshape(3, 1, 3), y[:, :1]),
    ],
    "fft": [
        lambda t, x, y: t.fft.fft(x), lambda t, x, y: t.fft.ifft(x, dim=0, norm="ortho"),
        lambda t, x, y: t.fft.fft(x, n=5, norm="forward"), lambda t, x, y: t.fft.fft2(x),
        lambda t, x, y: t.fft.ifftn(x, s=(2, 4)), lambda t, x, y: t.fft.rfft(x.real),
        lambda t, x, y: t.fft.rfftn(x.real, dim=(1, 0)), lambda t, x, y: t.fft.irfft(x),
        lambda t, x, y: t.fft.irfft(x, n=5, dim=0), lambda t, x, y: t.fft.irfft2(x, s=(3, 5)),
        lambda t, x, y: t.fft.hfft(x), lambda t, x, y: t.fft.ihfft(x.real, norm="ortho"),
        lambda t, x, y: t.fft.hfft2(x, s=(3, 5)), lambda t, x, y: t.fft.ihfft2(x.real),
        lambda t, x, y: t.fft.fftshift(x), lambda t, x, y: t.fft.ifftshift(x, dim=1),
    ],
}  # fmt: skip
CASES = [
    pytest.param(f, kind, id=f"{name}-{i}-{kind}")
    for name, calls in CALLS.items()
    for i, f in enumerate(calls)
    for kind in ("float64", "complex128")
]


def loss(found):
    """A real number that depends on every part of a result."""
    total = 0
    for part in found if isinstance(found, tuple) else (found,):
        size = (part * part.conj()).real
        total = total + (size * size).sum() + (part.real**3).sum()
    return total


def outcome(t, f, xs):
    """The parts of a result, and gradients of first and second order."""
    found = f(t, *xs)
    grads = t.autograd.grad(loss(found), xs, create_graph=True, allow_unused=True)
    again = sum((g * g.conj()).real.sum() for g in grads if g is not None)
    second = t.autograd.grad(again, xs, allow_unused=True)
    parts = found if isinstance(found, tuple) else (found,)
    return [None if p is None else values(p.detach()) for p in (*parts, *grads, *second)]


def values(x):
    """An array of a tensor, which PyTorch may hold as the conjugate of another."""
    return (x.resolve_conj() if hasattr(x, "resolve_conj") else x).numpy()


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore:torch.qr is deprecated")
@pytest.mark.parametrize(("f", "kind"), CASES)
def test_values_and_gradients_are_those_of_torch(f, kind):
    torch = pytest.importorskip("torch")
    xs = [square(0), square(1)]
    if kind == "complex128":
        xs = [x + 0.5j * square(2) for x in xs]
    ours = outcome(dg, f, [dg.tensor(x, requires_grad=True) for x in xs])
    theirs = outcome(torch, f, [torch.tensor(x, requires_grad=True) for x in xs])
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        if a is None or b is None:  # what is not reached: PyTorch may give zeros for it
            assert not np.any(b if a is None else a) or (a is None and b is None)
            continue
        assert_allclose(a, b, rtol=1e-7, atol=1e-8 * np.abs(b).max(initial=1e-8))
        assert a.dtype == b.dtype


def test_the_real_part_of_a_complex_number_is_not_the_number():
    y = dg.tensor([1 + 2j], requires_grad=True).sum()
    assert y.real.item() == 1
    assert y.item() == 1 + 2j


def test_operands_may_be_arrays():
    assert isinstance(dg.linalg.inv(np.eye(2)), dg.Tensor)
    assert isinstance(dg.linalg.solve(np.eye(2), np.ones(2)), dg.Tensor)
    assert isinstance(dg.fft.rfft(np.ones(4)), dg.Tensor)


def test_the_error_is_torchs_too():
    with pytest.raises(RuntimeError, match="singular"):
        dg.linalg.inv(dg.zeros(2, 2))
    with pytest.raises(dg.linalg.LinAlgError):
        dg.linalg.cholesky(-dg.eye(2))


def test_methods_are_functions():
    x = dg.tensor(square(0, 2))
    assert_allclose(x.inverse().numpy(), dg.inverse(x).numpy())
    assert x.mH.shape == x.shape
    assert dg.eye(2).trace().item() == 2
    with pytest.raises(ValueError, match="2 dimensions, not 3"):
        x.trace()


def test_what_multiplies_by_zero_drops_nan():
    nan = dg.full((2, 2), float("nan"))
    assert_allclose(dg.addmm(nan, dg.eye(2), dg.eye(2), beta=0).numpy(), np.eye(2))


def test_singular_values_are_cut_off_by_the_larger_of_two_bounds():
    x = dg.tensor([[[3.0, 0.0], [0.0, 1.0]], [[0.5, 0.0], [0.0, 0.25]]])
    assert dg.linalg.matrix_rank(x, atol=0.4).tolist() == [2, 1]
    assert dg.linalg.matrix_rank(x, atol=0.4, rtol=0.5).tolist() == [1, 1]
    assert dg.linalg.pinv(x[0], atol=2.0).tolist() == [[pytest.approx(1 / 3), 0], [0, 0]]


def test_frequencies_have_the_default_dtype():
    assert dg.fft.fftfreq(4).dtype == dg.float32
    assert dg.fft.rfftfreq(4, 0.5, dtype=dg.float64, requires_grad=True).requires_grad


def test_powers_of_entries_ascend_or_descend():
    x = dg.tensor([2.0, 3.0])
    assert_allclose(dg.vander(x).numpy(), np.vander([2.0, 3.0]))
    assert_allclose(dg.vander(x, 3, increasing=True).numpy(), dg.linalg.vander(x, N=3).numpy())
