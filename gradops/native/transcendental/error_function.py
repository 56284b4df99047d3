"""erf and erfc."""

from ..ir.scalars import Scalar, choose, constant
from .exponential import exp_pair, exp_scaled
from .floats import between, fma, polynomial, product, quotient, scaled, signed, total

ERF = {
    4: (0.12837916584835093, -0.37612626666720334, 0.11283594715160218, -0.026854212010626412,
        0.005189087423433974, -0.000801686428716587, 7.875875062685488e-05),
    8: (0.12837916709551256, -0.37612638903183543, 0.11283791670945006, -0.02686617064323777,
        0.0052239776071164225, -0.0008548325975389692, 0.00012055294904839707,
        -1.492473690741966e-05, 1.6447424703317362e-06, -1.6208483801871705e-07,
        1.3720064546777686e-08, -7.795898827002142e-10),
}  # fmt: skip
"""erf(x) / x - 1 as a function of x**2, for |x| <= 1."""
NEAR = {
    4: (1.2672926355069911, -0.11806518440677517, -0.11124826038127739, 0.16147117018863189,
        -0.09632138411797883, 0.02405389585493809, 0.006551809633897652),
    8: (1.2672926603147934, -0.11806526673071209, -0.11125421565736285, 0.16147229812156838,
        -0.09610182065097038, 0.024288066217479545, 0.004451735746511802, -0.004063242139113305,
        -0.00023855546993494607, 0.0006553954854660401, 5.8284454659189136e-05,
        -0.00011432470052972715, -2.524600471922395e-05, 1.8792494061275604e-05,
        7.604509465567717e-06, -2.2627632692462967e-06),
}  # fmt: skip
"""(1 + 2 x) exp(x**2) erfc(x) as a function of (x - 2.4) / (x + 2.4), for 1 <= x <= 4 and 6."""
FAR = {
    4: (1.2530080578307996, -0.13562114337320352, -0.04756228053505264, 0.12964657564436363,
        -0.11927265270268238, 0.06829350976215444, -0.02379023418287967, 0.002579434684940475,
        0.0019944745913543795, -0.0007983391415426612, -0.0002773269222233205),
    8: (1.2329951186255526, -0.13962111684056286, 0.015379652102621091, 0.0680970542547336,
        -0.10103906603637362, 0.09373283499690535, -0.0663303658110103, 0.03716751556105671,
        -0.016197734065502876, 0.005031969765051122, -0.0007577732963739462,
        -0.00019925553476007838, 0.0001506220523230599, -2.4403160497192634e-05,
        -1.1224293594679385e-05, 5.718067004785881e-06, 3.006053020270926e-07,
        -8.356886054802244e-07, 6.326381936013846e-08, 1.1597564919712835e-07,
        -7.796210935750394e-09, -1.3952812123042384e-08, -1.907388627007971e-09),
}  # fmt: skip
"""The function as one of (x - 3) / (x + 3), and (x - 4) / (x + 4), for 0 <= x <= 10.1 and 27.3."""
MIDDLE = {4: 3.0, 8: 4.0}
ERF_END, ERFC_END = {4: 4.0, 8: 6.0}, {4: 10.1, 8: 27.3}  # from there on they are 1 and 0


def erf(x: Scalar) -> Scalar:
    """A polynomial up to 1, further on 1 less the complement, for which one division is enough."""
    a = abs(x)
    small = fma(a, polynomial(a * a, ERF), a)
    b = between(a, 1.0, ERF_END[x.dtype.itemsize])
    over, twice = b + 2.4, b * 2.0 + 1.0
    inverse = 1.0 / (over * twice)
    t = (b - 2.4) * (twice * inverse)
    rest = exp_scaled(-(b * b)) * polynomial(t, NEAR) * (over * inverse)
    return signed(choose(a > 1.0, 1.0 - rest, small), x)


def erfc(x: Scalar) -> Scalar:
    """exp(-x**2) times a polynomial over 1 + 2 x, of |x|; roundings of both factors are made good.

    Up to 1 / 2, it is 1 - x less a polynomial, which is small.
    """
    size, one = x.dtype.itemsize, constant(x.f, 1, x.dtype)
    a = between(abs(x), 0.0, ERFC_END[size])
    t = (a - MIDDLE[size]) / (a + MIDDLE[size])
    above = total(constant(x.f, FAR[size][0], x.dtype), t * polynomial(t, FAR[size][1:]))
    q, low = quotient(above, total(choose(a > 0.5, a * 2.0, one), choose(a > 0.5, one, a * 2.0)))
    square, more = product(a, a)
    e, rest, n = exp_pair(-square, -more)
    y = scaled(fma(e, q, fma(e, low, rest * q)), n)
    small = fma(-x, polynomial(x * x, ERF), 1.0 - x)
    return choose(a < 0.5, small, choose(x < 0.0, 2.0 - y, y))
