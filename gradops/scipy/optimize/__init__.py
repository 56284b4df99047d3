"""`scipy.optimize` for every operand, with derivatives of what the solvers find.

A program changes its import and nothing else. Solutions are functions of all that the functions
given to a solver depend on, as arguments or captured, with derivatives of any order.
"""

from ...core.lazy_import import lazily
from ..missing_names import missing_from
from .custom_solvers import implicit
from .fixed_points import fixed_point
from .minimization import minimize, minimize_scalar
from .minpack import fsolve, leastsq
from .residuals import curve_fit, least_squares
from .root_finding import newton, root
from .scalar_roots import bisect, brenth, brentq, ridder, root_scalar, toms748

__all__ = [
    "bisect", "brenth", "brentq", "curve_fit", "fixed_point", "fsolve", "implicit", "least_squares",
    "leastsq", "minimize", "minimize_scalar", "newton", "ridder", "root", "root_scalar", "toms748",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
