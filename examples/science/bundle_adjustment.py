"""Bundle adjustment.

Cameras look at points, and neither is known well. Each residual depends on one camera and one
point, so the Jacobian is sparse: its pattern is found in the graph, a few products with vectors
fill it, and Gauss and Newton's steps are solutions of sparse equations.

It prints:

    2000 residuals, 672 unknowns, 1.2 % entries
    errors ['1.4e-02', '1.1e-03', '8.5e-04', '8.2e-04', '8.2e-04', '8.2e-04', '8.2e-04', '8.2e-04']
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

import staticgrad as sg

CAMERAS, POINTS, SEEN = 12, 200, 5
rng = np.random.default_rng(0)
POINT = np.repeat(np.arange(POINTS), SEEN)
CAMERA = np.concatenate([rng.permutation(CAMERAS)[:SEEN] for _ in range(POINTS)])


def turned(w: Any, x: Any) -> Any:
    """Points turned by small angles about three axes, to second order."""
    once = np.cross(w, x)
    return x + once + 0.5 * np.cross(w, once)


def seen(v: Any) -> Any:
    """Where the points are seen in the pictures: cameras are angles and places."""
    cameras, points = (
        v[: 6 * CAMERAS].reshape(CAMERAS, 6)[CAMERA],
        v[6 * CAMERAS :].reshape(-1, 3)[POINT],
    )
    local = turned(cameras[:, :3], points) + cameras[:, 3:]
    return local[:, :2] / local[:, 2:]


def truth() -> Any:
    """Cameras in front of a cloud of points."""
    cameras = np.concatenate(
        [0.2 * rng.normal(size=(CAMERAS, 3)), rng.normal(size=(CAMERAS, 3))], axis=1
    )
    cameras[:, 5] = 8.0
    return np.concatenate([cameras.ravel(), rng.uniform(-2, 2, 3 * POINTS)])


TRUTH = truth()
PICTURES = seen(TRUTH) + 1e-3 * rng.normal(size=(len(POINT), 2))


def residuals(v: Any) -> Any:
    """The errors in the pictures."""
    return (seen(v) - PICTURES).reshape(-1)


def run(steps: int = 8) -> dict[str, Any]:
    """The root mean square of the errors in each step, and the Jacobian."""
    jacobian = sg.sparse_jacobian(residuals)
    v, errors = TRUTH + 0.05 * rng.normal(size=TRUTH.size), []
    for _ in range(steps):
        r, j = residuals(v), jacobian(v)
        errors.append(float(np.sqrt(np.mean(r**2))))
        v = v - spsolve((j.T @ j + 1e-6 * sparse.eye_array(v.size)).tocsc(), j.T @ r)
    return {"errors": errors, "jacobian": j}


def draw(plot: Any) -> None:
    """The entries of a part of the Jacobian."""
    plot.spy(run(1)["jacobian"][:300, :300], markersize=1, aspect="auto")


if __name__ == "__main__":
    found = run()
    j = found["jacobian"]
    share = 100 * j.nnz / np.prod(j.shape)
    print(f"{j.shape[0]} residuals, {j.shape[1]} unknowns, {share:.1f} % entries")
    print("errors", [f"{e:.1e}" for e in found["errors"]])
