"""What computes the ops of matrices and of Fourier transforms in torch, packed as ours are."""


def slogdet(torch, x):
    sign, size = torch.linalg.slogdet(x)
    return torch.stack([sign, size.to(sign.dtype)], -1)


def second_of_det(torch, x, t):
    u = torch.linalg.inv(x).mT
    turned = u @ t.mT
    trace = turned.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None]
    return torch.linalg.det(x)[..., None, None] * (trace * u - turned @ u)


def qr(torch, x, mode):
    q, r = torch.linalg.qr(x, mode)
    return torch.cat([q, r.mT], -2)


def cholesky_cotangent(torch, l, g):
    """The gradient of a matrix from its factor and the gradient of that, in closed form."""
    l = l.tril()
    inner = l.mT @ g.tril()
    half = torch.linalg.solve_triangular(l.mT, inner.tril() + inner.tril(-1).mT, upper=True)
    return torch.linalg.solve_triangular(l.mT, half.mT, upper=True).mT / 2


def solve_triangular(torch, a, b, lower, unit_diagonal, checked):
    return torch.linalg.solve_triangular(a, b, upper=not lower, unitriangular=unit_diagonal)


def lstsq(torch, a, b, rcond):
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (x.expand(*batch, *x.shape[-2:]) for x in (a, b))
    dtype = torch.promote_types(a.dtype, b.dtype)
    return torch.linalg.lstsq(a.to(dtype), b.to(dtype), rcond=rcond).solution


def alike(function):
    """A function of torch that wants operands of one dtype."""

    def call(torch, *xs, **attrs):
        dtype = max(xs, key=lambda x: x.is_complex()).dtype
        return function(torch, *(x.to(dtype) for x in xs), **attrs)

    return call


def unless_empty(transform):
    """A transform that torch refuses of no entries: the shape is that of one."""

    def call(torch, x, **attrs):
        if x.numel():
            return transform(torch, x, **attrs)
        y = transform(torch, torch.ones([max(n, 1) for n in x.shape], dtype=x.dtype), **attrs)
        return y[tuple(slice(0) if not n else slice(None) for n in x.shape)] * x.sum()

    return call


def fft(torch, x, axes, inverse, norm):
    if not axes:
        return x + 0j
    return (torch.fft.ifftn if inverse else torch.fft.fftn)(x, dim=axes, norm=norm)


COUNTERPARTS = {
    "inv": lambda torch, x, checked: torch.linalg.inv(x),
    "layer_product": lambda torch, a, b: a @ b,
    "solve": alike(lambda torch, a, b: torch.linalg.solve(a, b)),
    "solve_triangular": alike(solve_triangular), "lstsq": lstsq,
    "det": lambda torch, x: torch.linalg.det(x), "slogdet": slogdet,
    "cofactors": lambda torch, x: torch.linalg.det(x)[..., None, None] * torch.linalg.inv(x).mT,
    "second_of_det": second_of_det,
    "cholesky_cotangent": cholesky_cotangent,
    "cholesky": lambda torch, x, upper: torch.linalg.cholesky((x + x.mH) / 2, upper=upper),
    "eigvalsh": lambda torch, x, UPLO: torch.linalg.eigvalsh(x, UPLO),
    "eigvals": lambda torch, x: torch.linalg.eigvals(x),
    "svdvals": lambda torch, x: torch.linalg.svdvals(x), "qr": qr,
    "pinv": lambda torch, x, rtol, hermitian: torch.linalg.pinv(x, rtol=rtol, hermitian=hermitian),
    "matrix_rank": lambda torch, x, rtol, hermitian: torch.linalg.matrix_rank(
        x, rtol=rtol, hermitian=hermitian
    ),
    "matrix_exp": lambda torch, x: torch.linalg.matrix_exp(x),
    "fft": unless_empty(fft),
    "rfft": unless_empty(lambda torch, x, axis, norm: torch.fft.rfft(x, dim=axis, norm=norm)),
    "irfft": unless_empty(lambda torch, x, n, axis, norm: torch.fft.irfft(x, n, axis, norm)),
}  # fmt: skip
