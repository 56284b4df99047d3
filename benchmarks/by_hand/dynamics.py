"""Lotka and Volterra's equations by hand: Python's floats, which are faster than arrays here."""

import numpy as np

from ..workload import Arrays, Run

H = 0.05


def lotka_volterra(params: Arrays, data: Arrays) -> Run:
    """The steps backwards, from the states at the four stages of each."""
    observed = list(zip(*(d.tolist() for d in data), strict=True))

    def run() -> Arrays:
        a, b, c, d, x, y = params[0].tolist()
        loss, stages = 0.0, []
        for ox, oy in observed:
            x1, y1 = x, y
            xy = x * y
            k1, l1 = a * x - b * xy, d * xy - c * y
            x2, y2 = x + H / 2 * k1, y + H / 2 * l1
            xy = x2 * y2
            k2, l2 = a * x2 - b * xy, d * xy - c * y2
            x3, y3 = x + H / 2 * k2, y + H / 2 * l2
            xy = x3 * y3
            k3, l3 = a * x3 - b * xy, d * xy - c * y3
            x4, y4 = x + H * k3, y + H * l3
            xy = x4 * y4
            k4, l4 = a * x4 - b * xy, d * xy - c * y4
            x += H / 6 * (k1 + 2 * (k2 + k3) + k4)
            y += H / 6 * (l1 + 2 * (l2 + l3) + l4)
            u, v = x - ox, y - oy
            loss += u * u + v * v
            stages.append((x4, y4, x3, y3, x2, y2, x1, y1, u, v))
        ga = gb = gc = gd = gx = gy = 0.0
        for x4, y4, x3, y3, x2, y2, x1, y1, u, v in reversed(stages):
            gx += 2 * u
            gy += 2 * v
            px = py = 0.0
            nx, ny = gx, gy
            for sx, sy, share, reach in (
                (x4, y4, H / 6, 0.0), (x3, y3, H / 3, H), (x2, y2, H / 3, H / 2),
                (x1, y1, H / 6, H / 2),
            ):  # fmt: skip
                k, l = share * gx + reach * px, share * gy + reach * py
                ky, lx = k * sy, l * sx
                ga += k * sx
                gb -= ky * sx
                gc -= l * sy
                gd += lx * sy
                px = a * k - b * ky + d * l * sy
                py = d * lx - b * k * sx - c * l
                nx += px
                ny += py
            gx, gy = nx, ny
        return [np.float64(loss), np.array([ga, gb, gc, gd, gx, gy])]

    return run
