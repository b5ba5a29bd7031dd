"""Narrow phase: manifolds against hand calculation, brute force and the laws of symmetry."""

import itertools

import numpy as np
import pytest
from narrow_phase_scene import (
    BOX,
    CAPSULE,
    CYLINDER,
    HULL,
    PLANE,
    ROOM,
    SPHERE,
    UPRIGHT,
    Scene,
    about,
    turned,
)

from verlet_physics.collision.manifold import PREFERENCE

CONVEX = (SPHERE, BOX, CAPSULE, CYLINDER, HULL)
QUARTER = np.pi / 2
DIAGONAL = np.sqrt(0.5)
ALONG_X = about((0, 1, 0), QUARTER)  # takes the z axis to x
CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
GROUND = [(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)], [(0, 1, 2), (0, 2, 3)]


def hit(first, second, sub=-1, reach=0.0):
    scene = Scene()
    return scene.collide(first(scene), second(scene), sub, reach)


def shape(kind, size=(), centre=(0, 0, 0), rotation=UPRIGHT):
    return lambda scene: scene.add(kind, size, centre, rotation)


def hull(points, centre=(0, 0, 0), rotation=UPRIGHT):
    return lambda scene: scene.hull(points, centre, rotation)


def ground(**about):
    return lambda scene: scene.mesh(*GROUND, **about)


# ---------------------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("first", "second", "normal", "gap", "point"),
    [
        # two balls: along the line between their centres
        (shape(SPHERE, (1,), (1.5, 0, 0)), shape(SPHERE, (1,)), (1, 0, 0), -0.5, (0.5, 0, 0)),
        # ball over the face, edge and corner of a box, and inside of it
        (shape(SPHERE, (1,), (0, 0, 2.9)), shape(BOX, (1, 1, 2)), (0, 0, 1), -0.1, (0, 0, 1.9)),
        (
            shape(SPHERE, (1,), (2, 0, 3)),
            shape(BOX, (1.5, 1, 2.5)),
            (DIAGONAL, 0, DIAGONAL),
            DIAGONAL - 1,
            (2 - DIAGONAL, 0, 3 - DIAGONAL),
        ),
        (shape(SPHERE, (0.1,), (0.8, 0, 0)), shape(BOX, (1, 1, 1)), (1, 0, 0), -0.3, (0.7, 0, 0)),
        # ball beside a capsule and beyond its end
        (shape(SPHERE, (1,), (1.4, 0, 1)), shape(CAPSULE, (0.5, 2)), (1, 0, 0), -0.1, (0.4, 0, 1)),
        (shape(SPHERE, (1,), (0, 0, 3.4)), shape(CAPSULE, (0.5, 2)), (0, 0, 1), -0.1, (0, 0, 2.4)),
        # ball on the cap, the wall and the rim of a cylinder
        (
            shape(SPHERE, (1,), (0.3, 0, 2.9)),
            shape(CYLINDER, (1, 2)),
            (0, 0, 1),
            -0.1,
            (0.3, 0, 1.9),
        ),
        (shape(SPHERE, (1,), (1.9, 0, 1)), shape(CYLINDER, (1, 2)), (1, 0, 0), -0.1, (0.9, 0, 1)),
        (
            shape(SPHERE, (1,), (1.5, 0, 2.5)),
            shape(CYLINDER, (1, 2)),
            (DIAGONAL, 0, DIAGONAL),
            DIAGONAL - 1,
            (1.5 - DIAGONAL, 0, 2.5 - DIAGONAL),
        ),
        # ball on the face and the edge of a hull that is a cube
        (shape(SPHERE, (1,), (0.2, 0, 1.9)), hull(CUBE), (0, 0, 1), -0.1, (0.2, 0, 0.9)),
        (
            shape(SPHERE, (1,), (1.5, 0, 1.5)),
            hull(CUBE),
            (DIAGONAL, 0, DIAGONAL),
            DIAGONAL - 1,
            (1.5 - DIAGONAL, 0, 1.5 - DIAGONAL),
        ),
        # crossed capsules; edge across edge of two boxes; a capsule over the edge of a box
        (
            shape(CAPSULE, (0.5, 2), (0, 0, 0.9), ALONG_X),
            shape(CAPSULE, (0.5, 2), (0, 0, 0), about((1, 0, 0), QUARTER)),
            (0, 0, 1),
            -0.1,
            (0, 0, 0.4),
        ),
        (
            shape(BOX, (3, 1, 1), (0, 0, 2.7), about((1, 0, 0), np.pi / 4)),
            shape(BOX, (1, 3, 1), (0, 0, 0), about((0, 1, 0), np.pi / 4)),
            (0, 0, 1),
            2.7 - 2 * np.sqrt(2),
            (0, 0, 2.7 - np.sqrt(2)),
        ),
        (
            shape(CAPSULE, (0.5, 2), (0, 0, np.sqrt(2) + 0.4), ALONG_X),
            shape(BOX, (1, 3, 1), (0, 0, 0), about((0, 1, 0), np.pi / 4)),
            (0, 0, 1),
            -0.1,
            (0, 0, np.sqrt(2) - 0.1),
        ),
        # a cone's tip in a cylinder's cap
        (
            hull([(0, 0, -1), (1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1)], (0.1, 0, 2.9)),
            shape(CYLINDER, (1, 2)),
            (0, 0, 1),
            -0.1,
            (0.1, 0, 1.9),
        ),
        # walls of a room push inward
        (shape(SPHERE, (1,), (3.2, 0, 0)), shape(ROOM, (4, 4, 4)), (-1, 0, 0), -0.2, (4.2, 0, 0)),
    ],
)
def test_one_point_by_hand(first, second, normal, gap, point):
    found, on_a, on_b, gaps, _ = hit(first, second, sub=0)
    assert found == pytest.approx(normal, abs=1e-9)
    assert gaps == pytest.approx([gap], abs=1e-9)
    assert on_a[0] == pytest.approx(point, abs=1e-9)
    assert on_a[0] - on_b[0] == pytest.approx(gap * np.array(normal), abs=1e-9)


def test_walls_of_a_room_in_their_order():
    for wall, inward in enumerate([(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1)]):
        centre = -4.5 * np.array(inward)
        normal, _, _, gap, _ = hit(
            shape(BOX, (1, 1, 1), centre), shape(ROOM, (5, 5, 5)), sub=wall, reach=0
        )
        assert normal == pytest.approx(inward)
        assert gap == pytest.approx([-0.5] * 4)


STANDING = {
    "box": (shape(BOX, (0.5, 0.5, 0.5), (0, 0, 0.49)), 0.5 * np.sqrt(2)),
    "hull": (hull(0.5 * CUBE, (0, 0, 0.49)), 0.5 * np.sqrt(2)),
    "cylinder": (shape(CYLINDER, (0.5, 0.5), (0, 0, 0.49)), 0.5),
}
GROUNDS = {
    "plane": (shape(PLANE), -1),
    "box": (shape(BOX, (3, 3, 1), (0, 0, -1)), -1),
    "hull": (hull(CUBE, (0, 0, -1)), -1),
    "cylinder": (shape(CYLINDER, (2, 1), (0, 0, -1)), -1),
    "room": (shape(ROOM, (5, 5, 5), (0, 0, 5)), 5),
}


@pytest.mark.parametrize("below", GROUNDS)
@pytest.mark.parametrize("body", STANDING)
@pytest.mark.parametrize("lift", [0.0, 0.01, 0.0123])  # overlapping, touching, just above
def test_what_stands_has_four_points_around_it(body, below, lift):
    standing, radius = STANDING[body]
    floor, sub = GROUNDS[below]
    scene = Scene()
    a, b = standing(scene), floor(scene)
    scene.rows[a][2][2] += lift
    normal, on_a, on_b, gap, feature = scene.collide(a, b, sub, reach=0.005)
    assert normal == pytest.approx((0, 0, 1), abs=1e-9)
    assert gap == pytest.approx([lift - 0.01] * 4, abs=1e-9)
    assert on_b[:, 2] == pytest.approx([0.0] * 4, abs=1e-9)
    assert len(set(feature)) == 4
    assert np.hypot(on_a[:, 0], on_a[:, 1]) == pytest.approx([radius] * 4, rel=1e-6)
    turns = np.sort(np.arctan2(on_a[:, 1], on_a[:, 0]))
    assert np.diff(turns) == pytest.approx([QUARTER] * 3)


def test_a_lying_capsule_and_a_lying_cylinder_have_two_points():
    for kind, floor in itertools.product((CAPSULE, CYLINDER), ("plane", "box", "hull")):
        below, sub = GROUNDS[floor]
        _, on_a, _, gap, _ = hit(shape(kind, (0.3, 0.6), (0, 0, 0.29), ALONG_X), below, sub)
        assert gap == pytest.approx([-0.01] * 2, abs=1e-9)
        assert sorted(on_a[:, 0]) == pytest.approx([-0.6, 0.6])
        below, sub = ground(), 0
        a = shape(kind, (0.3, 0.6), (1, -1, 0.29), ALONG_X)
        _, on_a, _, gap, _ = hit(a, below, sub)
        assert gap == pytest.approx([-0.01] * 2, abs=1e-9)


def test_parallel_capsules_and_cylinders_touch_along_a_line():
    for one, other in itertools.product((CAPSULE, CYLINDER), repeat=2):
        a = shape(one, (0.3, 0.6), (0.4, 0, 0.59), ALONG_X)
        _, on_a, _, gap, _ = hit(a, shape(other, (0.3, 0.6), (0, 0, 0), ALONG_X))
        assert gap == pytest.approx([-0.01] * 2, abs=1e-9)
        assert sorted(on_a[:, 0]) == pytest.approx([-0.2, 0.6])


def test_a_cube_turned_on_a_cube_keeps_four_points_that_span_the_overlap():
    for degrees in (10, 30, 45):
        a = shape(BOX, (1, 1, 1), (0, 0, 1.99), about((0, 0, 1), np.radians(degrees)))
        _, on_a, _, gap, feature = hit(a, shape(BOX, (1, 1, 1)))
        assert gap == pytest.approx([-0.01] * 4)
        assert len(set(feature)) == 4
        x, y = on_a[:, 0], on_a[:, 1]
        order = np.argsort(np.arctan2(y, x))
        x, y = x[order], y[order]
        area = 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
        assert area > 2.0  # the overlap is an octagon of 3.3 m² for 45°: its best four hold 2.3


def test_the_deepest_corner_is_kept_when_eight_are_reduced_to_four():
    tilt = about((1, 0.3, 0), 0.02)
    turn = tilt @ about((0, 0, 1), np.pi / 4)
    upper = shape(BOX, (1, 1, 1), (0, 0, 1.99))
    normal, _, _, gap, _ = hit(upper, shape(BOX, (1, 1, 1), (0, 0, 0), turn), reach=0.1)
    assert len(gap) == 4
    assert normal == pytest.approx((0, 0, 1))
    # the upper face of the lower box, where it is under the upper box
    u = np.linspace(-1, 1, 401)
    face = np.stack([*np.meshgrid(u, u), np.ones((401, 401))], axis=2).reshape(-1, 3) @ turn.T
    under = np.abs(face[:, :2]).max(axis=1) <= 1.0
    assert gap.min() == pytest.approx(0.99 - face[under, 2].max(), abs=5e-4)


def test_features_stay_while_the_pose_changes_a_little():
    random = np.random.default_rng(0)
    for kinds in itertools.product(
        ("box", "hull", "cylinder"), ("box", "hull", "cylinder", "plane")
    ):
        scene = Scene()
        a, b = STANDING[kinds[0]][0](scene), GROUNDS[kinds[1]][0](scene)
        centre = scene.rows[a][2].copy()
        seen = []
        for _ in range(20):
            scene.rows[a][2][:] = centre + 1e-6 * random.normal(size=3)
            scene.rows[a][3][:] = about(random.normal(size=3), 1e-6 * random.normal())
            seen.append(sorted(scene.collide(a, b, -1, reach=0.001)[4].tolist()))
        assert all(f == seen[0] for f in seen), kinds


@pytest.mark.parametrize("below", GROUNDS)
def test_a_thin_board_and_a_prism_of_a_hundred_sides_stand_on_four_points(below):
    floor, sub = GROUNDS[below]
    board = np.array([0.9, 0.05, 0.0009])
    turn = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    ring = 0.7 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    prism = [(x, y, z) for x, y in ring for z in (-0.2, 0.2)]
    for body, height, radius in (
        (shape(BOX, board, (0, 0, 0.0009)), 0.0009, np.hypot(0.9, 0.05)),
        (hull(board * CUBE, (0, 0, 0.0009)), 0.0009, np.hypot(0.9, 0.05)),
        (hull(prism, (0, 0, 0.2)), 0.2, 0.7),
    ):
        normal, on_a, _, gap, feature = hit(body, floor, sub, reach=0.1 * height)
        assert normal == pytest.approx((0, 0, 1), abs=1e-6)
        assert gap == pytest.approx([0.0] * 4, abs=1e-6)
        assert len(set(feature)) == 4
        assert np.hypot(on_a[:, 0], on_a[:, 1]) == pytest.approx([radius] * 4, rel=1e-3)
        assert on_a.sum(axis=0)[:2] == pytest.approx((0, 0), abs=0.1)


def lean_on_each_other(scale, random):
    """A scene of two flat round ends that lie nearly flat on each other, some aside."""
    scene = Scene()
    radius, half = scale, 0.075 * scale
    aside, tilt = random.uniform(-1.1, 1.1, 2) * radius, np.radians(random.uniform(0.1, 15.0))
    axis = (*random.normal(size=2), 0.0)
    height = 2.0 * half + random.uniform(-0.3, 0.5) * half + 0.7 * radius * np.sin(tilt)
    scene.add(CYLINDER, (radius, half), (*aside, height), about(axis, tilt))
    scene.add(CYLINDER, (radius, half), (0, 0, 0), about((0, 0, 1), random.uniform(0, 6)))
    return scene


def gap_of(scene):
    """How far the two shapes of a scene are apart, by a search for the way that parts them most."""
    random, n, best, width = np.random.default_rng(0), np.array([0.0, 0.0, 1.0]), -np.inf, 1.0
    for _ in range(40):
        ways = n + width * random.normal(size=(300, 3))
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        apart = -scene.support(0, -ways) - scene.support(1, ways)
        if apart.max() > best:
            best, n = apart.max(), ways[apart.argmax()]
        else:
            width *= 0.5
    return best


@pytest.mark.parametrize("scale", [0.01, 3.0])
def test_coins_that_lean_on_each_other_keep_their_points_and_the_nearest(scale):
    random, few, count = np.random.default_rng(8), 0, 120
    for _ in range(count):
        scene = lean_on_each_other(scale, random)
        _, _, _, gaps, _ = scene.collide(0, 1, reach=0.2 * scale)
        few += len(gaps) == 1
        exact = gap_of(scene)
        assert abs(gaps.min() - exact) < 2e-3 * scale
    assert few < 0.05 * count  # those of which hardly more than the rims meet


def test_what_comes_from_afar_has_its_points_before_it_arrives():
    for below in ("plane", "box", "hull", "room"):
        floor, sub = GROUNDS[below]
        for body, _ in STANDING.values():
            scene = Scene()
            a, b = body(scene), floor(scene)
            scene.rows[a][2][2] += 3.0
            _, _, _, gap, feature = scene.collide(a, b, sub, reach=5.0)
            assert gap == pytest.approx([2.99] * 4)
            assert len(set(feature)) == 4


# ---------------------------------------------------------------------------- random pairs


def random_shape(scene, kind, random, centre, scale=1.0, thin=0.3):
    rotation = turned(*random.normal(size=4))
    if random.random() < 0.15:  # edges and faces parallel to those of others
        rotation = np.linalg.matrix_power(about((1, 1, 1), 2 * np.pi / 3), random.integers(3))
    size = scale * thin ** random.random(3)
    if kind == HULL:
        points = random.normal(size=(random.integers(4, 16), 3)) * 0.5 * size
        return scene.hull(points, centre, rotation)
    return scene.add(kind, size, centre, rotation)


def thinnest(scene, s):
    kind, size = scene.rows[s][:2]
    return size[: {SPHERE: 1, CAPSULE: 1, CYLINDER: 2}.get(kind, 3)].min()


def climbed(scene, a, b, normal, moved=(0.0, 0.0, 0.0)):
    """The largest gap along directions around ``normal``, by trying, with a moved by so much m."""
    random = np.random.default_rng(11)  # its own: how often it tries says nothing of other shapes
    best, step = scene.gap_along(a, b, normal)[0] + normal @ moved, 0.3
    while step > 1e-8:
        tries = normal + step * random.normal(size=(60, 3))
        tries /= np.linalg.norm(tries, axis=1)[:, None]
        gaps = scene.gap_along(a, b, tries) + tries @ moved
        if gaps.max() > best:
            best, normal = gaps.max(), tries[gaps.argmax()]
        else:
            step *= 0.6
    return best


DIRECTIONS = np.random.default_rng(3).normal(size=(1000, 3))
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1)[:, None]


@pytest.mark.parametrize(
    ("scale", "thin", "spread", "count"),
    [(1.0, 0.3, 2.0, 40), (0.01, 0.3, 1.5, 8), (100.0, 0.3, 1.5, 8), (1.0, 0.001, 0.3, 16)],
)
def test_random_pairs_agree_with_brute_force(scale, thin, spread, count):
    random = np.random.default_rng(7)
    for kinds in itertools.product(CONVEX, CONVEX):
        scene = Scene()
        pairs, reach = [], []
        for _ in range(count):
            place = scale * random.normal(size=3)
            off = random.normal(size=3)
            off *= scale * random.uniform(0, spread) / np.linalg.norm(off)
            a = random_shape(scene, kinds[0], random, place + off, scale, thin)
            b = random_shape(scene, kinds[1], random, place, scale, thin)
            pairs.append((a, b))
            reach.append(scale * random.uniform(0, 1) * (random.random() < 0.7))
        m = scene.run(pairs, reach)
        for row, (a, b) in enumerate(pairs):
            check_pair(scene, a, b, reach[row], m, row, scale)


def check_pair(scene, a, b, reach, manifolds, row, scale):
    exact = 1e-6 * scale
    gaps = scene.gap_along(a, b, DIRECTIONS)
    n = manifolds.count[row]
    if n == 0:
        best = climbed(scene, a, b, DIRECTIONS[gaps.argmax()])
        assert best >= reach - exact
        return
    normal, on_a, on_b = manifolds.normal[row], manifolds.on_a[row, :n], manifolds.on_b[row, :n]
    assert np.linalg.norm(normal) == pytest.approx(1.0)
    gap = (on_a - on_b) @ normal
    assert on_a - on_b == pytest.approx(np.outer(gap, normal), abs=1e-9 * scale)
    # the gap along the normal is a gap; none of the directions tried shows a larger one
    along = scene.gap_along(a, b, normal)[0]
    allowed = PREFERENCE * min(thinnest(scene, a), thinnest(scene, b)) + exact
    assert gap.min() >= along - allowed
    if gap.min() > along + allowed:  # the deepest end lies beside the face: this parts them as well
        assert climbed(scene, a, b, normal, -gap.min() * normal) >= -allowed
    assert gap.max() <= reach + allowed
    assert gaps.max() <= along + allowed
    if kinds_are_round(scene, a, b):
        assert climbed(scene, a, b, normal) <= along + exact
    # the points lie on the shapes
    for points, s in ((on_a, a), (on_b, b)):
        outside = (points @ DIRECTIONS.T - scene.support(s, DIRECTIONS)).max()
        assert outside < 0.02 * scale * 0.3


def kinds_are_round(scene, a, b):
    return SPHERE in (scene.rows[a][0], scene.rows[b][0])


def test_hulls_and_boxes_give_the_exact_depth():
    random = np.random.default_rng(11)
    for kinds in itertools.product((BOX, HULL), repeat=2):
        for _ in range(60):
            scene = Scene()
            a = random_shape(scene, kinds[0], random, 0.4 * random.normal(size=3))
            b = random_shape(scene, kinds[1], random, (0, 0, 0))
            directions = separating_axes(scene, a, b)
            exact = scene.gap_along(a, b, directions).max()
            found = scene.collide(a, b)
            assert (found is None) == (exact > 0.0)
            if found is not None:
                along = scene.gap_along(a, b, found[0])[0]
                assert along <= exact + 1e-9
                assert along >= exact - PREFERENCE * min(thinnest(scene, a), thinnest(scene, b))


@pytest.mark.parametrize("kind", ["box", "hull"])
def test_a_face_that_leans_on_an_edge_is_met_where_it_comes_down(kind):
    """Rocking about the edges that cross, it comes down elsewhere: what was found knew of it."""
    random = np.random.default_rng(5)
    half = (np.array((0.16, 0.10, 0.10)), np.array((0.07, 0.08, 0.21)))  # a pelvis, a thigh
    missed, tried = [], 0
    for _ in range(200):
        scene = Scene()
        lean = [about(random.normal(size=3), np.radians(random.uniform(1, 4))) for _ in half]
        lean[0] = lean[0] @ about((0, 0, 1), random.uniform(0, np.pi))
        lean[1] = lean[1] @ ALONG_X
        place = np.array((*random.uniform(-0.1, 0.1, 2), 0.3))
        solid = [
            scene.add(BOX, h, at, turn) if kind == "box" else scene.hull(h * CUBE, at, turn)
            for h, at, turn in zip(half, (place, np.zeros(3)), lean)
        ]
        axes = separating_axes(scene, *solid)
        gaps = scene.gap_along(*solid, axes)
        place -= gaps.max() * axes[gaps.argmax()]  # they just touch
        scene.rows[solid[0]][2][:] = place
        normal, on_a, on_b, gap, _ = scene.collide(*solid, reach=0.03)
        faces = np.concatenate([lean[0].T, lean[1].T])
        if np.abs(faces @ normal).max() > 1.0 - 1e-9:
            continue  # a face carries it
        tried += 1
        at = on_a[gap.argmin()]
        axis = np.cross(normal, random.normal(size=3))
        rock = about(axis, 0.07)
        scene.rows[solid[0]][2][:] = at + rock @ (place - at)
        scene.rows[solid[0]][3][:] = rock @ lean[0]
        foreseen = ((at + (on_a - at) @ rock.T - on_b) @ normal).min()
        exact = scene.gap_along(*solid, separating_axes(scene, *solid)).max()
        missed.append(foreseen - exact)
    assert tried > 50
    assert np.mean(missed) < 5e-4
    assert np.max(missed) < 6e-3  # m


def separating_axes(scene, *pair):
    faces, edges = [], []
    for s in pair:
        kind, _, _, rotation, table = scene.rows[s]
        if kind == BOX:
            faces.append(rotation.T)
            edges.append(rotation.T)
        else:
            solid = scene.hulls[table]
            faces.append(solid.face_normal @ rotation.T)
            ends = solid.vertex[solid.edge[:, :2]]
            edges.append((ends[:, 1] - ends[:, 0]) @ rotation.T)
    across = np.cross(edges[0][:, None], edges[1][None]).reshape(-1, 3)
    size = np.linalg.norm(across, axis=1)
    axes = np.concatenate([*faces, across[size > 1e-9] / size[size > 1e-9, None]])
    return np.concatenate([axes, -axes])


def test_swapping_the_two_turns_the_normal_round():
    random = np.random.default_rng(5)
    for kinds in itertools.product(CONVEX, CONVEX):
        for _ in range(6):
            scene = Scene()
            a = random_shape(scene, kinds[0], random, 0.5 * random.normal(size=3))
            b = random_shape(scene, kinds[1], random, (0, 0, 0))
            one, other = scene.collide(a, b, reach=0.2), scene.collide(b, a, reach=0.2)
            assert (one is None) == (other is None)
            if one is None:
                continue
            limit = PREFERENCE * min(thinnest(scene, a), thinnest(scene, b)) + 1e-9
            there = scene.gap_along(a, b, one[0])[0]
            back = scene.gap_along(b, a, other[0])[0]
            assert there == pytest.approx(back, abs=limit)
            if kinds[0] != kinds[1]:  # both orders are one to the kernel
                assert other[0] == pytest.approx(-one[0])
                assert other[1] == pytest.approx(one[2])


def test_turning_and_moving_both_turns_and_moves_the_manifold():
    random = np.random.default_rng(6)
    for kinds in itertools.product(CONVEX, CONVEX):
        scene = Scene()
        a = random_shape(scene, kinds[0], random, 0.4 * random.normal(size=3))
        b = random_shape(scene, kinds[1], random, (0, 0, 0))
        before = scene.collide(a, b, reach=0.2)
        turn, shift = turned(*random.normal(size=4)), np.array([100.0, -50.0, 20.0])
        for s in (a, b):
            scene.rows[s][2][:] = turn @ scene.rows[s][2] + shift
            scene.rows[s][3][:] = turn @ scene.rows[s][3]
        after = scene.collide(a, b, reach=0.2)
        assert (before is None) == (after is None)
        if before is not None:
            assert after[0] == pytest.approx(turn @ before[0], abs=1e-5)
            assert after[3].min() == pytest.approx(before[3].min(), abs=1e-6)


# ---------------------------------------------------------------------------- hard cases


def test_nothing_is_not_a_number_in_degenerate_places():
    sizes = {SPHERE: (1,), BOX: (1, 1, 1), CAPSULE: (1, 1), CYLINDER: (1, 1)}
    turns = [UPRIGHT, ALONG_X, about((0, 0, 1), 1e-9), about((1, 0, 0), np.pi / 4)]
    places = [(0, 0, 0), (2, 0, 0), (0, 0, 2), (2, 2, 2), (1e-12, 0, 0), (0, 0, 3), (3, 0, 0)]
    places += [(np.nextafter(2, 3), 0, 0), (np.nextafter(2, 1), 0, 0), (0, 0, 4)]
    for one, other in itertools.product(CONVEX, CONVEX):
        scene = Scene()
        pairs = []
        for turn, place in itertools.product(turns, places):
            row = []
            for kind, centre, rotation in ((one, place, turn), (other, (0, 0, 0), UPRIGHT)):
                if kind == HULL:
                    row.append(scene.hull(CUBE, centre, rotation))
                else:
                    row.append(scene.add(kind, sizes[kind], centre, rotation))
            pairs.append(row)
        m = scene.run(pairs, 0.0)
        for field in m:
            assert np.isfinite(field).all()
        for row, (a, b) in enumerate(pairs):
            gaps = scene.gap_along(a, b, DIRECTIONS)
            if gaps.max() > 1e-9:
                assert m.count[row] == 0
            elif m.count[row] == 0:
                best = climbed(scene, a, b, DIRECTIONS[gaps.argmax()])
                assert best > -1e-4  # trying does not climb ridges to the top
            if m.count[row]:
                assert np.linalg.norm(m.normal[row]) == pytest.approx(1.0)


def test_reach_may_be_metres_and_then_the_gap_is_still_the_distance():
    a = shape(BOX, (0.1, 0.1, 0.1), (3, 4, 12), about((0, 0, 1), 1.0))
    for b in (shape(SPHERE, (1,)), shape(BOX, (1, 1, 1)), shape(CYLINDER, (1, 1)), hull(CUBE)):
        scene = Scene()
        i, j = a(scene), b(scene)
        normal, _, _, gap, _ = scene.collide(i, j, reach=20.0)
        assert gap.min() == pytest.approx(climbed(scene, i, j, normal), abs=1e-3)
        assert scene.collide(i, j, reach=0.99 * gap.min()) is None


# ---------------------------------------------------------------------------- meshes


def grid(cells, size, height):
    u = np.linspace(-size, size, cells + 1)
    x, y = np.meshgrid(u, u, indexing="ij")
    vertex = np.stack([x, y, height(x, y)], axis=2).reshape(-1, 3)
    triangle = []
    for i, j in itertools.product(range(cells), repeat=2):
        a = i * (cells + 1) + j
        b, c, d = a + cells + 1, a + cells + 2, a + 1
        triangle += [(a, b, c), (a, c, d)] if (i + j) % 2 else [(a, b, d), (b, c, d)]
    return vertex, triangle


@pytest.mark.parametrize("two_sided", [False, True])
def test_inner_edges_of_a_flat_mesh_are_not_felt(two_sided):
    random = np.random.default_rng(0)
    vertex, triangle = grid(6, 1.5, lambda x, y: 0 * x)
    for kind, depth in itertools.product(CONVEX, (0.01, 0.0, -0.005)):
        for _ in range(4):
            scene = Scene()
            a = random_shape(scene, kind, random, (0, 0, 0))
            bottom = scene.support(a, [(0, 0, -1)])[0]
            scene.rows[a][2][:] = *random.uniform(-0.4, 0.4, 2), bottom - depth
            floor = scene.mesh(vertex, triangle, two_sided=two_sided)
            m = scene.run([(a, floor, t) for t in range(len(triangle))], 0.01)
            touched = np.flatnonzero(m.count)
            assert len(touched)
            assert m.normal[touched] == pytest.approx(np.tile((0, 0, 1), (len(touched), 1)))
            gaps = [((m.on_a[i] - m.on_b[i]) @ m.normal[i])[: m.count[i]].min() for i in touched]
            assert min(gaps) == pytest.approx(-depth, abs=2e-4)


def test_a_box_on_a_mesh_stands_on_all_its_corners():
    vertex, triangle = grid(6, 1.5, lambda x, y: 0 * x)
    scene = Scene()
    a = scene.add(BOX, (0.5, 0.4, 0.3), (0.03, 0.07, 0.299), about((0, 0, 1), 0.3))
    floor = scene.mesh(vertex, triangle)
    m = scene.run([(a, floor, t) for t in range(len(triangle))], 0.01)
    points = np.concatenate([m.on_a[i, : m.count[i]] for i in range(len(triangle))])
    corners = scene.rows[a][2] + scene.corners(a) @ scene.rows[a][3].T
    for corner in corners[corners[:, 2] < 0]:
        assert np.linalg.norm(points - corner, axis=1).min() < 2e-3


def test_edges_of_a_ridge_push_between_its_slopes_and_a_valley_pushes_along_them():
    for sign in (1.0, -1.0):
        vertex, triangle = grid(2, 1.0, lambda x, y, s=sign: -s * np.abs(x))
        for x in (-0.05, 0.0, 0.02):
            scene = Scene()
            ball = scene.add(SPHERE, (0.2,), (x, 0.1, 0.19 if sign > 0 else 0.25))
            ridge = scene.mesh(vertex, triangle)
            m = scene.run([(ball, ridge, t) for t in range(len(triangle))], 0.01)
            normals = m.normal[m.count > 0]
            assert len(normals)
            tilt = np.degrees(np.arctan2(normals[:, 0], normals[:, 2]))
            if sign > 0:  # on the ridge: straight away from it
                assert tilt == pytest.approx(np.degrees(np.arctan2(x, 0.19)), abs=1e-6)
            else:
                assert np.abs(tilt) == pytest.approx(45.0)


def test_one_sided_meshes_push_to_the_front_and_two_sided_ones_to_where_the_body_is():
    for kind, size in ((SPHERE, (0.5,)), (BOX, (0.5, 0.5, 0.5)), (CYLINDER, (0.5, 0.5))):
        for height in (0.2, -0.2):
            a = shape(kind, size, (1, -1, height))
            normal, _, _, gap, _ = hit(a, ground(), 0)
            assert normal == pytest.approx((0, 0, 1))
            assert gap.min() == pytest.approx(height - 0.5)
            normal, _, _, gap, _ = hit(a, ground(two_sided=True), 0)
            assert normal == pytest.approx((0, 0, np.sign(height)))
            assert gap.min() == pytest.approx(-0.3)
        assert hit(shape(kind, size, (1, -1, -0.6)), ground(), 0, reach=0.5) is None


def test_a_box_pushed_against_the_side_of_a_solid_mesh_is_pushed_back_sideways():
    corners = np.array(CUBE)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangle = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    scene = Scene()
    solid = scene.mesh(corners, triangle)
    box = scene.add(BOX, (0.5, 0.5, 0.5), (1.49, 0.1, 0.7))
    m = scene.run([(box, solid, t) for t in range(12)], 0.001)
    normals = m.normal[m.count > 0]
    assert len(normals)
    assert normals == pytest.approx(np.tile((1, 0, 0), (len(normals), 1)))


def test_a_triangle_without_area_is_not_touched():
    scene = Scene()
    line = scene.mesh([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])
    for kind, size in ((SPHERE, (0.5,)), (BOX, (0.5, 0.5, 0.5)), (CAPSULE, (0.5, 0.5))):
        assert scene.collide(scene.add(kind, size), line, 0) is None
