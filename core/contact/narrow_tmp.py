"""TEMPORARY."""

import math
from .kinds import *
from ..jit import kernel
from .box_box import box_box


@kernel
def narrow_phase(
    item_a, item_b, item_sub, count, shapes, reach, manifolds, scratch, on_a, on_b, normal
):
    for n in range(count):
        a = item_a[n]
        b = item_b[n]
        room = reach[a] + reach[b]
        manifolds.count[n] = 0
        ka = shapes.kind[a]
        kb = shapes.kind[b]
        if ka == BOX and kb == BOX:
            found = box_box(
                shapes.centre[a],
                shapes.rotation[a],
                shapes.size[a],
                shapes.centre[b],
                shapes.rotation[b],
                shapes.size[b],
                room,
                scratch,
                on_a,
                on_b,
                normal,
            )
            m = 0
            for p in range(min(found, 4)):
                for k in range(3):
                    manifolds.on_a[n, p, k] = on_a[p, k]
                    manifolds.on_b[n, p, k] = on_b[p, k]
                manifolds.feature[n, p] = p
            for k in range(3):
                manifolds.normal[n, k] = normal[k]
            manifolds.count[n] = min(found, 4)
        elif kb == PLANE:
            r = shapes.rotation[b]
            for k in range(3):
                manifolds.normal[n, k] = r[k, 2]
            d = 0.0
            for k in range(3):
                d += r[k, 2] * shapes.centre[b, k]
            c = 0
            if ka == BOX:
                for corner in range(8):
                    h = 0.0
                    for k in range(3):
                        p = shapes.centre[a, k]
                        for j in range(3):
                            sg = 1.0 if (corner >> j) & 1 else -1.0
                            p += shapes.rotation[a, k, j] * sg * shapes.size[a, j]
                        if c < 4:
                            manifolds.on_a[n, c, k] = p
                        h += r[k, 2] * p
                    if h - d <= room and c < 4:
                        for k in range(3):
                            manifolds.on_b[n, c, k] = manifolds.on_a[n, c, k] - (h - d) * r[k, 2]
                        manifolds.feature[n, c] = corner
                        c += 1
            else:
                h = 0.0
                for k in range(3):
                    p = shapes.centre[a, k] - shapes.size[a, 0] * r[k, 2]
                    manifolds.on_a[n, 0, k] = p
                    h += r[k, 2] * p
                if h - d <= room:
                    for k in range(3):
                        manifolds.on_b[n, 0, k] = manifolds.on_a[n, 0, k] - (h - d) * r[k, 2]
                    manifolds.feature[n, 0] = 0
                    c = 1
            manifolds.count[n] = c
