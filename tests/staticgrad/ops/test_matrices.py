"""Linear algebra and Fourier transforms beside TensorFlow: values, first and second derivatives."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError

from ..test_beside_tensorflow import check_formula, formulas

# Of a matrix x, a vector v, a column c, a positive p, a number s, indices i and truth values b.
FORMULAS = """
    t.matrix_inverse(x @ t.transpose(x) + t.eye(3, dtype='float64'))
    t.matrix_inverse(x[:, :3] + 3 * t.eye(3, dtype='float64'), adjoint=True)
    t.matrix_determinant(x[:, :3]) ; t.linalg.det(x[:, 1:])
    t.matrix_solve(x[:, :3] + 3 * t.eye(3, dtype='float64'), x)
    t.matrix_solve(x[:, :3] + 3 * t.eye(3, dtype='float64'), x, adjoint=True)
    t.matrix_triangular_solve(x[:, :3] + 3 * t.eye(3, dtype='float64'), x)
    t.matrix_triangular_solve(x[:, :3] + 3 * t.eye(3, dtype='float64'), x, lower=False)
    t.matrix_triangular_solve(x[:, :3] + 3 * t.eye(3, dtype='float64'), x, adjoint=True)
    t.matrix_solve_ls(t.transpose(x), t.transpose(x)[:, :2] * t.transpose(x)[:, 1:], 0.0)
    t.matrix_solve_ls(t.transpose(x), t.transpose(x)[:, :2] * t.transpose(x)[:, 1:], 0.5)
    t.cholesky(x @ t.transpose(x) + t.eye(3, dtype='float64'))
    t.cholesky_solve(t.cholesky(x @ t.transpose(x) + t.eye(3, dtype='float64')), x)
    t.self_adjoint_eigvals(x @ t.transpose(x))
    t.square(t.self_adjoint_eig(x @ t.transpose(x))[1]) ; t.self_adjoint_eig(x @ t.transpose(x))[0]
    t.svd(x)[0] ; t.svd(x, compute_uv=False) ; t.abs(t.svd(x[:, :3])[1]) ; t.abs(t.svd(x[:, :3])[2])
    t.qr(x[:, :3])[0] ; t.qr(t.transpose(x))[1]
    t.linalg.trace(x) ; t.cross(x[:, :3], x[:, 1:]) ; t.linalg.matvec(x, v) ; t.linalg.adjoint(x)
    t.linalg.logdet(x @ t.transpose(x) + t.eye(3, dtype='float64'))
    t.linalg.slogdet(x[:, :3])[1] ; t.linalg.expm(x[:, :3])
    t.norm(x, ord=1, axis=[0, 1]) ; t.norm(x, 'fro', [0, 1]) ; t.norm(x, np.inf, axis=[-2, -1])
    t.tensordot(x, x, [[1], [1]]) ; t.matrix_set_diag(x, v[:3])
    t.matrix_set_diag(t.transpose(x), v[:3])
    t.real(t.signal.rfft(x)) ; t.imag(t.signal.rfft(x, [5])) ; t.abs(t.signal.rfft2d(x))
    t.real(t.fft(t.complex(x, x * x))) ; t.imag(t.ifft(t.complex(x, x * x)))
    t.abs(t.fft2d(t.complex(x, x * x))) ; t.signal.irfft(t.complex(x, x * x))
    t.signal.irfft(t.complex(x, x * x), [7]) ; t.real(t.signal.ifftshift(t.signal.fftshift(x), 1))
"""


@pytest.mark.peers
@pytest.mark.parametrize("formula", formulas(FORMULAS))
def test_a_formula_has_the_values_and_derivatives_of_tensorflow(tensorflow, formula):
    check_formula(tensorflow, formula, known=True)


def run(y):
    return sg.Session().run(y)


def test_results_have_tensorflows_order_and_names():
    x = sg.constant(np.diag([3.0, 2.0, 1.0])[:, :2])
    s, u, v = sg.svd(x, name="parts")
    np.testing.assert_allclose(run(sg.matmul(u * s, v, transpose_b=True)), run(x), atol=1e-12)
    assert sg.qr(x, full_matrices=True).q.shape == (3, 3)
    e, v = sg.self_adjoint_eig(sg.matmul(x, x, transpose_a=True), name="spectrum")
    np.testing.assert_allclose(run(e), [4, 9])
    assert e.name.startswith("spectrum")


def test_linalg_has_what_is_elsewhere():
    assert sg.linalg.matmul is sg.matmul
    assert sg.linalg.transpose is sg.matrix_transpose
    np.testing.assert_allclose(
        run(sg.linalg.solve(sg.constant(np.eye(2) * 2), np.ones((2, 1)))), 0.5
    )
    np.testing.assert_allclose(run(sg.linalg.pinv(sg.constant([[2.0], [0.0]]))), [[0.5, 0]])
    assert run(sg.linalg.matrix_rank(sg.constant(np.ones((2, 2))))) == 1
    np.testing.assert_allclose(run(sg.linalg.eig(sg.constant(np.diag([1.0, 2.0])))[0]), [1, 2])
    np.testing.assert_allclose(run(sg.linalg.eigvals(sg.constant(np.diag([1.0, 2.0])))), [1, 2])


def test_matrices_have_other_norms_than_vectors():
    x = np.array([[1.0, -2.0], [3.0, 4.0]])
    assert run(sg.norm(sg.constant(x), "nuc", axis=(0, 1))) == pytest.approx(
        np.linalg.norm(x, "nuc")
    )
    with pytest.raises(OptionError, match="no norm of order 'nuc'"):
        sg.norm(sg.constant(x), "nuc")


def test_several_axes_are_transformed():
    x = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_allclose(run(sg.fft3d(sg.constant(x, "complex128"))), np.fft.fftn(x))
    np.testing.assert_allclose(run(sg.signal.rfft3d(sg.constant(x))), np.fft.rfftn(x))
    back = sg.signal.irfft3d(sg.signal.rfft3d(sg.constant(x)), fft_length=[2, 3, 4])
    np.testing.assert_allclose(run(back), x, atol=1e-12)
