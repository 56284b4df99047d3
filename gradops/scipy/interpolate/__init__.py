"""Interpolation by the names of `scipy.interpolate`, for every operand, with derivatives.

Interpolants are differentiable in the values they interpolate, in the knots, and in the points
where they are evaluated. In a graph, where entries are not known when it is built, knots that do
not increase give NaN, and so do points out of bounds that would be an error.

>>> from gradops.scipy import interpolate
>>> float(interpolate.CubicSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0])(1.5))
2.25
"""

from ...core.lazy_import import lazily
from ..missing_names import missing_from
from .bsplines import BSpline
from .cubic_splines import CubicSpline
from .fitting import make_interp_spline, make_lsq_spline
from .grids import RegularGridInterpolator, interpn
from .hermite import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    PchipInterpolator,
    pchip_interpolate,
)
from .one_dimension import interp1d
from .piecewise import PPoly
from .polynomials import BarycentricInterpolator, barycentric_interpolate
from .radial import RBFInterpolator
from .scattered import LinearNDInterpolator, NearestNDInterpolator, griddata
from .spline_functions import (
    InterpolatedUnivariateSpline,
    splantider,
    splder,
    splev,
    splint,
    splrep,
)
from .surfaces import RectBivariateSpline

__all__ = [
    "Akima1DInterpolator", "BSpline", "BarycentricInterpolator", "CubicHermiteSpline",
    "CubicSpline", "InterpolatedUnivariateSpline", "LinearNDInterpolator",
    "NearestNDInterpolator", "PPoly", "PchipInterpolator", "RBFInterpolator",
    "RectBivariateSpline", "RegularGridInterpolator", "barycentric_interpolate", "griddata",
    "interp1d", "interpn", "make_interp_spline", "make_lsq_spline", "pchip_interpolate",
    "splantider", "splder", "splev", "splint", "splrep",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
