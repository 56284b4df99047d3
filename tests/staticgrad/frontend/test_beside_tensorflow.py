"""Arranging, sorting and scattering beside TensorFlow: values, first and second derivatives."""

import pytest

from ..test_beside_tensorflow import check_formula, formulas

# Of a matrix x, a vector v, a column c, a positive p, a number s, indices i and truth values b.
FORMULAS = """
    t.roll(x, 1, 0) ; t.roll(x, [1, -2], [0, 1]) ; t.roll(v, shift=3, axis=0)
    t.repeat(x, 2) ; t.repeat(x, 3, axis=1) ; t.repeat(v, 2, 0) ; t.repeat(x, i, axis=0)
    t.pad(x, [[1, 2], [0, 3]], 'REFLECT') ; t.pad(v, [[2, 1]], mode='SYMMETRIC')
    t.pad(x, [[1, 0], [0, 1]], constant_values=2.5) ; t.diag(v) ; t.diag(x) ; t.matrix_diag(x)
    t.diag_part(t.diag(x)) ; t.matrix_diag_part(x) ; t.matrix_diag_part(x[None])
    t.matrix_band_part(x, 0, 1) ; t.matrix_band_part(x, 1, -1) ; t.matrix_transpose(x[None])
    t.meshgrid(v, c[:, 0])[0] ; t.meshgrid(v, c[:, 0], indexing='ij')[1] ; t.meshgrid(v, v, v)[2]
    t.sequence_mask(i, 4) ; t.sequence_mask(i, 4, dtype='float64') * x
    t.sort(x) ; t.sort(x, axis=0, direction='DESCENDING') ; t.cast(t.argsort(x), 'int64')
    t.cast(t.argsort(x, 0, 'DESCENDING'), 'int64') ; t.nn.top_k(x, 2)[0]
    t.cast(t.nn.top_k(x, k=3).indices, 'int64') ; t.nn.in_top_k(t.cast(x, 'float32'), i, 2)
    t.searchsorted(t.sort(v), v, out_type='int64') ; t.invert_permutation(i - i + [2, 0, 1])
    t.searchsorted(t.sort(x), x, side='right', out_type='int64') ; t.where(x > 0) ; t.where(b)
    t.unique(i, out_idx='int64')[0] ; t.unique(i, 'int64').idx
    t.unique_with_counts(i, out_idx='int64')[2] ; t.setdiff1d(i, [2], index_dtype='int64')[0]
    t.setdiff1d(i, [2], 'int64').idx ; t.gather_nd(x, [[0, 1], [2, 3], [0, 1]])
    t.gather_nd(x, [[2], [0]]) ; t.gather_nd(x, [[[2, 1]], [[0, 0]]])
    t.batch_gather(x, [[0, 3], [1, 1], [2, 0]])
    t.gather(x, [[0, 3], [1, 1], [2, 0]], axis=1, batch_dims=1)
    t.scatter_nd([[1], [4], [1]], x, [5, 4]) ; t.scatter_nd([[1, 0], [1, 0], [2, 3]], i, [3, 4])
    t.tensor_scatter_nd_update(x, [[0, 1], [2, 2]], v[:2])
    t.tensor_scatter_nd_sub(x, [[1]], v[None])
    t.tensor_scatter_nd_add(x, [[0], [0]], x[1:]) ; t.tensor_scatter_nd_max(x, [[0], [2]], p[1:])
    t.tensor_scatter_nd_min(x, [[0], [2]], p[1:])
    t.unsorted_segment_sum(x, i, 3) ; t.unsorted_segment_mean(x, i, 4)
    t.unsorted_segment_max(x, [0, 1, 1], 2) ; t.unsorted_segment_min(v, [1, 0, 1, 1], 2)
    t.unsorted_segment_prod(p, [0, 1, 1], 2)
    t.unsorted_segment_sum(x, [[0, 1, 0, 1], [2, 2, 2, 2], [0, 0, 0, 0]], num_segments=3)
    t.reverse_sequence(x, [2, 4, 0], seq_axis=1) ; t.reverse_sequence(x, [3, 0, 1, 2], 0, 1)
    t.count_nonzero(b) ; t.count_nonzero(x, axis=1, keepdims=True)
"""


@pytest.mark.peers
@pytest.mark.parametrize("formula", formulas(FORMULAS))
@pytest.mark.parametrize("known", [True, False])
def test_a_formula_has_the_values_and_derivatives_of_tensorflow(tensorflow, formula, known):
    check_formula(tensorflow, formula, known)
