"""Plain NumPy programs, as people write them, and a point for each."""

import numpy as np

rng = np.random.default_rng(0)
D = rng.normal(size=(12, 3))
L = rng.integers(0, 4, 12)

Y = rng.normal(size=12)


def softmax_regression(w):
    z = D @ w
    z = z - z.max(axis=1, keepdims=True)
    p = np.exp(z)
    p = p / p.sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(12), L]).mean() + 0.1 * np.linalg.norm(w) ** 2


def rk4(p):
    def rhs(s):
        return np.stack([p[0] * s[0] - p[1] * s[0] * s[1], -p[2] * s[1] + p[3] * s[0] * s[1]])

    s = np.array([1.0, 0.5])
    h = 0.1
    for _ in range(5):
        k1 = rhs(s)
        k2 = rhs(s + h / 2 * k1)
        k3 = rhs(s + h / 2 * k2)
        k4 = rhs(s + h * k3)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return s.sum()


def mvn(p):
    mu, a = p[:3], p[3:].reshape(3, 2)
    cov = a @ a.T + np.eye(3)
    c = np.linalg.cholesky(cov)
    z = np.linalg.solve(c, (D - mu).T)
    return 0.5 * np.sum(z**2) + 12 * np.sum(np.log(np.diag(c)))


def spectral(x):
    f = np.fft.rfft(x)
    power = np.abs(f) ** 2
    return np.sum(power * np.arange(len(power))) / power.sum()


def pca(x):
    c = x - x.mean(axis=0)
    _, s, _ = np.linalg.svd(c, full_matrices=False)
    return s[0] / s.sum()


def kalman(p):
    q, r = np.exp(p)
    m, v, ll = 0.0, 1.0, 0.0
    for y in Y:
        v = v + q
        s = v + r
        k = v / s
        e = y - m
        ll = ll - 0.5 * (np.log(2 * np.pi * s) + e**2 / s)
        m = m + k * e
        v = (1 - k) * v
    return ll


def robust(b):
    r = D @ b - Y
    a = np.abs(r)
    return np.where(a < 1, 0.5 * r**2, a - 0.5).sum() + np.median(a) + np.sort(a)[-3:].sum()


def logistic(b):
    return np.logaddexp(0, -np.sign(Y) * (D @ b)).sum() + 0.5 * b.dot(b)


def attention(x):
    q = x.reshape(4, 3)
    s = np.einsum("id,jd->ij", q, q) / np.sqrt(3)
    s = np.exp(s - s.max(-1, keepdims=True))
    s = s / s.sum(-1, keepdims=True)
    return np.trace(s @ q @ q.T)


def poly(c):
    return (
        np.trapezoid(np.polyval(c, np.linspace(0, 1, 30)) ** 2, dx=1 / 29)
        + np.diff(c).var(ddof=1)
        + np.prod(np.cumsum(c))
    )


def inplaceish(x):
    total = 0.0
    for i, row in enumerate(x):
        total += (row * np.roll(row, i)).sum()
    total += np.outer(x[0], x[1]).ravel()[::2].sum() / x.size
    return total


def splits(x):
    a, b = np.split(x, 2)
    m = np.block([[np.outer(a, b), np.eye(2)], [np.zeros((2, 2)), np.diag(b)]])
    return (
        np.linalg.det(m + 2 * np.eye(4))
        + np.linalg.slogdet(m + 3 * np.eye(4))[1]
        + np.std(np.kron(a, b))
        + np.tensordot(m, m)
    )


def iir(x):
    y = np.zeros_like(x[0])
    out = []
    for v in x:
        y = 0.5 * y + v
        out.append(y)
    return np.hypot(np.array([1.0]), np.stack(out)).sum()


PROGRAMS = {
    softmax_regression: rng.normal(size=(3, 4)), rk4: np.array([1.0, 0.8, 0.5, 0.3]),
    mvn: rng.normal(size=9), spectral: rng.normal(size=16), pca: rng.normal(size=(6, 3)),
    kalman: np.array([-1.0, 0.3]), robust: np.array([0.2, -0.3, 0.9]), logistic: rng.normal(size=3),
    attention: rng.normal(size=12), poly: rng.normal(size=5), inplaceish: rng.normal(size=(3, 4)),
    splits: rng.normal(size=4) + 2, iir: rng.normal(size=5),
}  # fmt: skip
