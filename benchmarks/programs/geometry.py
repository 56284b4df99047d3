"""Cameras and skeletons."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..by_hand import geometry as by_hand
from ..workload import Arrays, Workload

Rng = np.random.Generator


def views(rng: Rng, count: int) -> tuple[Arrays, Arrays]:
    """Columns: rotation, centre, focal length, principal point and distortion; and points."""
    cameras = rng.standard_normal((11, count)) * 0.1 + 0.2
    cameras[6] += 1
    return [cameras, rng.standard_normal((3, count)) * 0.3 + [[0.0], [0.0], [3.0]]], []


def projections(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """Points as cameras with radial distortion see them; rotations by Rodrigues' formula."""
    cameras, points = map(xp.unstack, params)
    a, b, c = cameras[:3]
    u, v, w = (p - q for p, q in zip(points, cameras[3:6], strict=True))
    f, s, t, k1, k2 = cameras[6:]
    square = a * a + b * b + c * c
    angle = xp.sqrt(square)
    cos, slope = xp.cos(angle), xp.sin(angle) / angle
    along = (a * u + b * v + c * w) * (1 - cos) / square
    x = u * cos + (b * w - c * v) * slope + a * along
    y = v * cos + (c * u - a * w) * slope + b * along
    z = w * cos + (a * v - b * u) * slope + c * along
    x, y = x / z, y / z
    r = x * x + y * y
    scale = f * (1 + k1 * r + k2 * r * r)
    return xp.stack([x * scale + s, y * scale + t], 0)


def fingers(rng: Rng, fingers: int, bones: int, points: int) -> tuple[Arrays, Arrays]:
    """Three angles of each bone; offsets, points on the bones, and where they were seen."""
    n = fingers * bones
    seen = rng.standard_normal((n, 3, points))
    on_bone = np.concatenate([rng.standard_normal((n, 3, points)), np.ones((n, 1, points))], 1)
    offsets, counts = rng.standard_normal((n, 3)), np.zeros((fingers, bones))
    return [rng.standard_normal((n, 3)) / 2], [offsets, on_bone, seen, counts]


def hand(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The squared distance of points on bones, each of which moves those after it, to data."""
    (angles,), (offsets, points, seen, counts) = params, data
    zero = xp.zeros((), angles.dtype)
    one, loss = zero + 1, zero
    matrix = lambda *rows: xp.stack([xp.stack(row, 0) for row in rows], 0)
    last = (zero, zero, zero, one)

    def moved(angles: Any, offset: Any) -> Any:
        (a, b, c), (x, y, z) = xp.unstack(xp.sin(angles)), xp.unstack(offset)
        k, l, m = xp.unstack(xp.cos(angles))
        first = matrix((one, zero, zero, x), (zero, k, -a, y), (zero, a, k, z), last)
        second = matrix((l, zero, b, zero), (zero, one, zero, zero), (-b, zero, l, zero), last)
        third = matrix((m, -c, zero, zero), (c, m, zero, zero), (zero, zero, one, zero), last)
        return first @ second @ third

    fingers, bones = xp.shape(counts)
    for i in range(fingers):
        place = None
        for j in range(i * bones, (i + 1) * bones):
            local = moved(angles[j], offsets[j])
            place = local if place is None else place @ local
            d = (place @ points[j])[:3] - seen[j]
            loss = loss + xp.sum(d * d)
    return loss


WORKLOADS = [
    Workload(
        "cameras", "20,000 projections by 11 camera parameters, Jacobian blocks", views,
        projections, request="jacobian", dtype="float64", sizes={"count": 20_000},
        small={"count": 3}, by_hand=by_hand.projections, threads=(1, 2),
    ),
    Workload(
        "hand", "hand pose: 20 bones, chains of 4x4 products", fingers, hand, dtype="float64",
        sizes={"fingers": 5, "bones": 4, "points": 25},
        small={"fingers": 2, "bones": 2, "points": 3},
        by_hand=by_hand.hand, slow=("torch.compile",),
    ),
]  # fmt: skip
