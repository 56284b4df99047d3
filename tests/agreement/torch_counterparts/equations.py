"""Linear equations with structure, by dense matrices of torch, and factors of matrices."""


def alike(*xs):
    """Tensors in the dtype of a complex one, if there is one."""
    dtype = max(xs, key=lambda x: x.is_complex()).dtype
    return [x.to(dtype) for x in xs]


def solve_banded(torch, bands, b, lower, upper):
    bands, b = alike(bands, b)
    n = b.shape[-2]
    rows = []
    for i in range(n):
        inside = [j for j in range(n) if -lower <= j - i <= upper]
        row = torch.zeros((*bands.shape[:-2], n), dtype=bands.dtype)
        entries = torch.stack([bands[..., upper + i - j, j] for j in inside], dim=-1)
        rows.append(row.index_copy(-1, torch.tensor(inside), entries))
    return torch.linalg.solve(torch.stack(rows, dim=-2), b)


def solve_sylvester(torch, a, b, q, checked):
    a, b, q = alike(a, b, q)
    m, n = a.shape[-1], b.shape[-1]
    shape = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2], q.shape[:-2])
    a, b, q = (x.expand(*shape, *x.shape[-2:]) for x in (a, b, q))
    left = torch.einsum("...ik,jl->...ijkl", a, torch.eye(n, dtype=a.dtype))
    right = torch.einsum("...lj,ik->...ijkl", b, torch.eye(m, dtype=a.dtype))
    matrix = (left + right).reshape(*shape, m * n, m * n)
    return torch.linalg.solve(matrix, q.reshape(*shape, m * n)).reshape(q.shape)


def polar(torch, x):
    u, _, vh = torch.linalg.svd(x, full_matrices=False)
    return u @ vh


def lu(torch, x):
    factors, pivots = torch.linalg.lu_factor(x)
    last = torch.arange(x.shape[-2]).expand(x.shape[:-1]).clone()
    last[..., : pivots.shape[-1]] = pivots - 1
    return torch.cat([factors, last[..., None].to(x.dtype)], dim=-1)


def recursive_filter(torch, a, x):
    a, x = alike(a, x)
    ys = []
    for i in range(x.shape[-1]):
        before = sum(a[k] * ys[i - k] for k in range(1, min(len(a), i + 1)))
        ys.append((x[..., i] - before) / a[0])
    return torch.stack(ys, dim=-1) if ys else x * a.sum()


def sparse_solve(torch, data, b, pattern):
    return torch.linalg.solve(dense(torch, data, pattern), b)


def dense(torch, data, pattern):
    """A sparse matrix as a dense one."""
    places = tuple(torch.as_tensor(i.copy()) for i in (pattern.rows, pattern.indices))
    return torch.zeros(pattern.shape, dtype=data.dtype).index_put(places, data)


COUNTERPARTS = {
    "solve_banded": solve_banded, "solve_sylvester": solve_sylvester, "polar": polar, "lu": lu,
    "recursive_filter": recursive_filter,
    "sparse_matmul": lambda torch, data, x, pattern: dense(torch, data, pattern) @ x,
    "sparse_solve": sparse_solve,
}  # fmt: skip
