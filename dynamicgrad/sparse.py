"""Sparse Jacobians and Hessians of functions, whose patterns `staticgrad` finds."""

from staticgrad.sparse.functions import body_jacobian as body_jacobian
from staticgrad.sparse.functions import sparse_hessian as sparse_hessian
from staticgrad.sparse.functions import sparse_jacobian as sparse_jacobian
