"""Cloth passes through neither itself nor other cloth, and pairs of features are found all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from verlet_physics import ClothSettings, FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.bench import cloth_scenes
from verlet_physics.bench.pressed_scenes import Pinch, pinched
from verlet_physics.collision.surface_bounds import (
    LEAST_COSINE,
    are_flat,
    gather_normals,
)
from verlet_physics.collision.surface_distance import feature_distance
from verlet_physics.collision.surface_tree import notches, surface_tree, ways_inwards
from verlet_physics.collision.turned_patches import note_turned, open_turned
from verlet_physics.kernels import jit
from verlet_physics.model.surface_table import BODY_HOLD
from verlet_physics.particles.contacts.surface_contact import (
    SURFACE_CONTACT,
    Course,
    check_strays,
    measure_pairs,
    part_layers,
    renew_flight,
    strays_room,
)
from verlet_physics.particles.contacts.surface_couple import pieces_of, return_surface_couples
from verlet_physics.particles.contacts.surface_limit import PushedBack, part_surfaces
from verlet_physics.particles.contacts.surface_stops import (
    TO_RETREAT,
    TO_STOP,
    hold_back,
    stopping_room,
)
from verlet_physics.particles.contacts.surface_untangling import crossed_room, slit_way
from verlet_physics.particles.contacts.surface_watch import (
    Parting,
    note_spare,
    watch_contacts,
    watch_room,
)
from verlet_physics.records import Particles
from verlet_physics.stages.surface_search import SurfaceSearch
from verlet_physics.stages.surfaces import SurfaceContacts
from verlet_physics.truth.crossings import count_crossings
from verlet_physics.truth.surfaces import most_crossings
from verlet_physics.workspace import workspace_of

OFF = ClothSettings(meets_itself=False, meets_others=False)


def all_meet(places):
    """Part and bits of vertices that all meet each other, see `CollisionSurface`."""
    return np.zeros(len(places), dtype=np.int32), np.full(len(places), 1, dtype=np.int32)


def test_the_counter_knows_a_crossing_from_a_near_miss():
    flat = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    through = [(0.2, 0.2, -1), (0.2, 0.2, 1), (5, 5, 0)]
    beside = [(0.8, 0.8, -1), (0.8, 0.8, 1), (5, 5, 0)]
    triangles = np.arange(6).reshape(2, 3)
    assert count_crossings(np.array(flat + through, dtype=float), triangles) == 1
    assert count_crossings(np.array(flat + beside, dtype=float), triangles) == 0
    fan = np.array([(0, 1, 2), (0, 1, 3)])  # neighbours are not counted
    assert count_crossings(np.array(flat + through, dtype=float), fan) == 0


def _soup(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    middle = random.uniform(0.0, 0.25, (count, 1, 3))
    corners = middle + random.normal(0.0, 0.04, (count, 3, 3))
    return corners.reshape(-1, 3), np.arange(3 * count, dtype=np.int32).reshape(-1, 3)


def _distance(points: np.ndarray, others: np.ndarray) -> float:
    """Distance of two convex sets of points, by brute force over their weights."""
    best = np.inf
    steps = np.linspace(0.0, 1.0, 41)

    def samples(corner: np.ndarray) -> np.ndarray:
        if len(corner) == 1:
            return corner
        if len(corner) == 2:
            return corner[0] + steps[:, None] * (corner[1] - corner[0])
        u, v = np.meshgrid(steps, steps)
        inside = u + v <= 1.0
        u, v = u[inside][:, None], v[inside][:, None]
        return (1.0 - u - v) * corner[0] + u * corner[1] + v * corner[2]

    one, other = samples(points), samples(others)
    for p in one:
        best = min(best, float(np.linalg.norm(other - p, axis=1).min()))
    return best


def _soup_room(x, triangle):
    """Room for the surface contacts of a soup that rests at x, all of whose pairs are known."""
    builder = ModelBuilder()
    builder.add_particles("soup", x, mass=1.0, radius=0.03)
    builder.add_surface(triangle)
    room = workspace_of(builder.finalize()).surfaces
    room.start[:] = x
    room.expect_all()
    room.find(0.0, 1, mesh_moves=False)
    return room


def _has_all_that_are_near(room, x, triangle):
    """Whether the pairs are all that are nearer than .058 m at x, and each stands there once."""
    (partners,) = room.partners
    pairs = partners.pairs[: partners.count]
    found = set()
    for corner, is_edges in zip(pairs["corner"].tolist(), pairs["is_edges"]):
        cut = 2 if is_edges else 1
        found.add((tuple(sorted(corner[:cut])), tuple(sorted(corner[cut:]))))
    assert len(found) == len(pairs)
    wanted = set()
    for t in triangle.tolist():
        for u in triangle.tolist():
            if t == u:
                continue
            wanted |= {((i,), tuple(u)) for i in t if _distance(x[[i]], x[u]) < 0.058}
            if t < u:
                for e in ((t[0], t[1]), (t[1], t[2]), (t[0], t[2])):
                    for f in ((u[0], u[1]), (u[1], u[2]), (u[0], u[2])):
                        if _distance(x[list(e)], x[list(f)]) < 0.058:
                            wanted.add((e, f))
    known = found | {(b, a) for a, b in found if len(a) == len(b)}
    assert wanted
    return wanted <= known


@pytest.mark.parametrize("seed", range(3))
def test_all_pairs_that_are_near_are_found_and_each_once(seed):
    x, triangle = _soup(10, seed)
    assert _has_all_that_are_near(_soup_room(x, triangle), x, triangle)


@pytest.mark.parametrize("seed", range(3))
def test_pairs_of_vertices_that_strayed_are_found_anew_and_all_others_stay(seed):
    x, triangle = _soup(10, seed)
    room = _soup_room(x, triangle)
    wild = np.arange(seed, len(x), 7)
    moved = x.copy()
    moved[wild] = x[(wild + 11) % len(x)] + 0.01
    room.start[:] = moved
    assert not _has_all_that_are_near(room, moved, triangle)
    room.stale[:] = 0
    room.stale[wild] = 1
    room.find(0.0, 1, mesh_moves=False)
    assert _has_all_that_are_near(room, moved, triangle)


@pytest.mark.parametrize("seed", range(3))
def test_what_comes_near_in_a_straight_flight_is_among_the_pairs(seed):
    """And no more often nearer than its pair allows for; what only slides past is left out."""
    x, triangle = _soup(10, seed)
    room = _soup_room(x, triangle)
    random = np.random.default_rng(seed)
    room.speed[:] = 0.05 * random.normal(size=x.shape)
    room.expect_all()
    room.find(4.0, 1, mesh_moves=False)
    (partners,) = room.partners
    pairs = partners.pairs[: partners.count]
    for ahead in (1.0, 2.0, 4.0):
        moved = x + ahead * room.speed
        for pair in pairs:
            distance = feature_distance(moved, *pair["corner"], pair["is_edges"])
            assert distance - pair["width"] >= pair["room"] - ahead * pair["speed"] - 1e-12
        assert _has_all_that_are_near(room, moved, triangle)


@pytest.mark.parametrize(("way", "has_pairs"), [((0.1, 0, 0), False), ((0, 0, -0.1), True)])
def test_layers_that_slide_past_each_other_are_no_pairs(way, has_pairs):
    """On a slope, where no box tells them apart."""
    one = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    slope = np.array([(1, -1, 0), (1, 1, -2), (1, 1, 1)]) / np.sqrt([[2], [6], [3]])
    x = np.concatenate([one, one + (0.1, 0.05, 0.2)]) @ slope
    room = _soup_room(x, np.array([(0, 1, 2), (3, 4, 5)], dtype=np.int32))
    room.speed[3:] = way @ slope
    room.expect_all()
    room.find(2.0, 1, mesh_moves=False)
    assert (room.partners[0].count > 0) == has_pairs


@pytest.mark.parametrize("seed", range(3))
def test_what_lies_close_at_rest_keeps_no_more_than_a_share_of_that_distance(seed):
    x, triangle = _soup(10, seed)
    room = _soup_room(x, triangle)
    room.start[:] = 0.7 * x  # nearer each other than at rest
    room.expect_all()
    room.find(0.0, 1, mesh_moves=False)
    (partners,) = room.partners
    limited = 0
    for pair in partners.pairs[: partners.count]:
        at_rest = 0.8 * feature_distance(x, *pair["corner"], pair["is_edges"])
        assert pair["width"] == pytest.approx(0.06)
        assert pair["reach"] == min(pair["width"], at_rest)
        limited += at_rest < pair["width"]
    assert 0.1 * partners.count < limited < 0.9 * partners.count


@pytest.mark.parametrize("name", ["strip-on-end", "folded-sheet", "crossed-sheets"])
def test_nothing_passes_through_anything(name):
    scene = replace(cloth_scenes.CLOTH_SCENES[name](16), frames=48)
    assert most_crossings(scene, every=4) == 0


def test_without_self_collision_a_strip_passes_through_itself():
    scene = replace(cloth_scenes.strip_on_end(16, OFF), frames=48)
    assert most_crossings(scene, every=4) > 0


@pytest.mark.skipif(jit.thread_limit() < 2, reason="one thread")
def test_the_bits_are_the_same_for_one_thread_and_for_two():
    ends = []
    for threads in (1, 2):
        scene = cloth_scenes.strip_on_end(16)
        state = scene.model.initial_state()
        for frame in range(1, 40):
            settings = SolverSettings(threads=threads)
            state, _ = advance(scene.model, state, scene.inputs(frame), settings)
        ends.append(state.position.tobytes())
    assert ends[0] == ends[1]


def test_a_frame_hangs_on_nothing_but_its_state():
    scene = cloth_scenes.strip_on_end(16)
    state = scene.model.initial_state()
    for _ in range(30):
        state, _ = advance(scene.model, state, FrameInputs(), SolverSettings())
    after, _ = advance(scene.model, state, FrameInputs(), SolverSettings())
    fresh = cloth_scenes.strip_on_end(16)
    again, _ = advance(fresh.model, state.copy(), FrameInputs(), SolverSettings())
    assert after.position.tobytes() == again.position.tobytes()


def test_layers_that_meet_in_free_flight_keep_their_momentum():
    """Linear to rounding; angular to 1e-7 of all that turns (1e-5 without `surface_couple`)."""
    builder = ModelBuilder()
    p, quads = cloth_scenes.sheet(6, 6, 0.5, 0.5)
    for number, height in enumerate((0.0, 0.05)):
        mesh = cloth_scenes.Geometry.of(
            f"sheet {number}",
            p + (0.03 * number, 0.02 * number, height),
            (),
            np.arange(len(quads) + 1, dtype=np.int32) * 4,
            quads.reshape(-1),
        )
        cloth_scenes.add_cloth(
            builder,
            mesh,
            ClothSettings(drag=0.0, meets_itself=True),
            velocity=(0.1, 0.0, 0.5 - number),
        )
    model = builder.finalize()
    state = model.initial_state(gravity=(0.0, 0.0, 0.0))

    def momenta() -> tuple[np.ndarray, np.ndarray, float]:
        p = model.particles.mass[:, None] * (state.position - state.previous) / state.step
        turning = np.cross((state.position + state.previous) / 2.0, p)
        return p.sum(axis=0), turning.sum(axis=0), float(np.abs(turning).sum())

    linear, angular, most = momenta()
    for _ in range(24):
        inputs = FrameInputs(gravity=(0.0, 0.0, 0.0))
        state, _ = advance(model, state, inputs, SolverSettings())
    assert count_crossings(state.position, model.pieces.triangle) == 0
    lower, upper = state.position[:36, 2].mean(), state.position[36:, 2].mean()
    assert lower < upper
    after = momenta()
    assert np.abs(after[0] - linear).max() < 1e-10
    assert np.abs(after[1] - angular).max() < 1e-7 * most


def _one_over_the_other(gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Two triangles a metre long, gap m apart, and contacts of one's corners with the other."""
    below = np.array([(-0.5, -0.5, 0.0), (0.5, -0.4, 0.0), (0.0, 0.6, 0.0)])
    x = np.concatenate([below, 0.2 * below + (0.0, 0.0, gap)])
    contacts = np.zeros(3, dtype=SURFACE_CONTACT)
    for n in range(3):
        weight = np.linalg.solve(np.vstack([below[:, :2].T, np.ones(3)]), [*x[3 + n, :2], 1.0])
        contacts[n]["corner"] = (3 + n, 0, 1, 2)
        contacts[n]["weight"] = (1.0, *-weight)
        contacts[n]["normal"] = (0.0, 0.0, 1.0)
        contacts[n]["distance"] = contacts[n]["reach"] = gap
    return x, contacts


def _part(contacts, x, start, inverse_mass, idle=0):
    """How many vertices `part_surfaces` had to stop, and how many contacts it looked at in the end.

    idle: how many of the last vertices no contact has.
    """
    vertices, count = len(x), len(contacts)
    watch = watch_room(vertices, count)
    for n in range(count):
        note_spare(watch, n, contacts[n])
    rows = np.arange(vertices - idle, dtype=np.int32)
    parting = Parting(contacts, count, watch, x, start, inverse_mass)
    none = np.zeros(1, dtype=np.int32)
    no_bodies = PushedBack(vertices, none, np.zeros(0, BODY_HOLD), np.zeros((0, 2, 3)))
    stopped = part_surfaces(parting, rows, stopping_room(vertices), vertices, no_bodies)
    return stopped, watch.count[0]


@pytest.mark.parametrize(
    ("axis", "angle"), [((2, -1, 1), 1e-3), ((2, -1, 1), 0.01), ((-1, 3, 0), 1.0), ((0, 0, 1), 1.0)]
)
def test_tight_layers_that_turn_as_one_are_not_parted(axis, angle):
    start, contacts = _one_over_the_other(1e-4)
    a = np.array(axis) / np.linalg.norm(axis)
    across = np.cross(a, start)
    turned = start + np.sin(angle) * across + (1.0 - np.cos(angle)) * np.cross(a, across)
    x = turned + (0.1, 0.0, -0.2)
    end = x.copy()
    assert _part(contacts, end, start, np.ones(6))[0] == 0
    assert abs(end - x).max() < 1e-12


def test_what_is_driven_through_cloth_that_cannot_give_way_stops_before_it():
    start, contacts = _one_over_the_other(0.01)
    inverse_mass = np.zeros(6)
    inverse_mass[:3] = 1.0
    floor = start[:3] * (0.2, 0.2, 1.0) - (0.0, 0.0, 0.01)  # held too, and below
    start = np.concatenate([start, floor])
    under = np.zeros(3, dtype=SURFACE_CONTACT)
    for n in range(3):
        under[n]["corner"] = (6 + n, *contacts[n]["corner"][1:])
        under[n]["weight"], under[n]["normal"] = contacts[n]["weight"], (0.0, 0.0, -1.0)
        under[n]["distance"] = under[n]["reach"] = 0.01
    x = start.copy()
    x[3:6, 2] -= 0.05  # driven through both
    inverse_mass = np.concatenate([inverse_mass, np.zeros(3)])
    both = np.concatenate([contacts, under])
    assert _part(both, x, start, inverse_mass)[0] > 0
    assert x[3:6, 2].min() > x[:3, 2].max() >= x[:3, 2].min() > x[6:, 2].max()


@pytest.mark.parametrize("heavier", [1.0, 3.0, 1e4])
def test_what_is_parted_keeps_its_common_momentum(heavier):
    """One triangle comes down through another, of unlike corners, in one substep."""
    start, contacts = _one_over_the_other(0.01)
    mass = np.array([1.0, 2.0, 0.5, *(heavier * np.array([1.0, 0.3, 2.0]))])
    x = start.copy()
    x[3:, 2] -= [0.05, 0.03, 0.045]
    end = x.copy()
    assert _part(contacts, end, start, 1.0 / mass)[0] == 0
    assert end[3:, 2].min() > end[:3, 2].max()
    momentum = (mass[:, None] * (end - x)).sum(axis=0)
    assert np.abs(momentum).max() < 1e-12 * (mass[:, None] * np.abs(end - x)).sum()


@pytest.mark.parametrize("what", [TO_RETREAT, TO_STOP])
def test_zones_that_stop_keep_their_momentum_each_by_itself(what):
    """Two pairs of triangles far apart, that go through each other, and a lone vertex between."""
    below, contacts = _one_over_the_other(0.01)
    start = np.concatenate([below, below + (5.0, 0.0, 0.0), [(2.5, 0.0, 0.0)]])
    both = np.concatenate([contacts, contacts])
    both[3:]["corner"] += 6
    mass = np.random.default_rng(4).uniform(0.5, 3.0, 13)
    x = start + (0.3, 0.0, 0.0)
    x[3:6, 2] -= [0.05, 0.03, 0.045]
    x[6:9, 2] += [0.05, 0.03, 0.045]
    before = x.copy()
    watch = watch_room(13, 6)
    for n in range(6):
        note_spare(watch, n, both[n])
    rows, stopping = np.arange(13, dtype=np.int32), stopping_room(13)
    stopping.nearest[:] = np.inf
    stopping.parent[:] = -1
    watch_contacts(watch, 6, x, start, rows)
    assert hold_back((both, 6, watch, x, start, 1.0 / mass), rows, stopping, 13, 1, what, True) > 0
    way = mass[:, None] * (x - before)
    for own in (slice(6), slice(6, 12)):
        assert way[own].sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
        assert np.abs(way[own]).max() > 0.01
        rest = np.ptp((x - start)[own], axis=0)
        share = 0.5 if what == TO_RETREAT else 0.0
        assert rest == pytest.approx(share * np.ptp((before - start)[own], axis=0), abs=1e-12)
    assert (x[12] == before[12]).all()


@pytest.mark.parametrize("pinned", [(), (1,), (0, 4)])
def test_the_couple_of_friction_is_taken_back_by_the_pieces_that_are_free(pinned):
    start, contacts = _one_over_the_other(0.01)
    mass = np.array([1.0, 2.0, 0.5, 3.0, 0.3, 2.0])
    inverse_mass = 1.0 / mass
    inverse_mass[list(pinned)] = 0.0
    x = start.copy()
    couple = np.zeros(3)
    for contact, drag in zip(
        contacts, ((1.0, 2.0, 0.0), (-3.0, 1.0, 0.0), (0.5, 0.5, 0.0)), strict=True
    ):
        contact["normal_impulse"], contact["friction_impulse"] = 4.0, drag
        couple += np.cross((0.0, 0.0, 0.01), drag)
    lines = np.zeros((0, 3), dtype=np.int32)
    pieces = pieces_of(np.array([(0, 1, 2), (3, 4, 5)], dtype=np.int32), lines, 6)
    return_surface_couples(contacts, 3, pieces, x, start, inverse_mass)
    way = mass[:, None] * (x - start)
    turned = [np.cross(start[own], way[own]).sum(axis=0) for own in (slice(3), slice(3, 6))]
    for number, own in enumerate(((0, 1, 2), (3, 4, 5))):
        wanted = 0.0 if set(own) & set(pinned) else -0.5
        assert turned[number] == pytest.approx(wanted * couple, abs=1e-12)
    assert way.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.fixture
def hinge():
    """Two triangles in a plane: places, their tree, how it is gathered, `note_turned` of some."""
    x = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0)])
    triangle = np.array([(0, 1, 2), (2, 1, 3)], dtype=np.int32)
    tree = surface_tree(triangle, x, *all_meet(x))

    def gather(speed, slack, horizon):
        gather_normals(tree, triangle, x, speed, np.full(4, slack), horizon)

    def turned(x):
        return note_turned(tree, np.inf, triangle, x)

    return x, tree, gather, turned


def test_a_patch_that_folds_in_flight_is_flat_no_longer(hinge):
    x, tree, gather, turned = hinge
    gather(0.0 * x, 0.0, 8.0)
    assert are_flat(tree, 0, 0)
    folded = x + ((0, 0, 0), (0, 0, 0), (0, 0, 0), (-1.1, -1.1, 0.1))
    assert turned(x + (0.0, 0.0, 0.1)) == 0
    assert turned(folded) == 1
    gather(folded - x, 0.0, 1.0)  # foreseen
    assert not are_flat(tree, 0, 0)
    assert turned(folded) == 0


def test_one_triangle_that_turns_opens_the_patches_around_it_and_no_others():
    p, quads = cloth_scenes.sheet(40, 40, 1.0, 1.0)
    triangle = np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]).astype(np.int32)
    tree = surface_tree(triangle, p, *all_meet(p))
    gather_normals(tree, triangle, p, 0.0 * p, np.full(len(p), 1e-3), 4.0)
    assert are_flat(tree, 0, 0)
    corner = 20 * 40 + 13
    folded = p.copy()
    folded[corner] += (0.03, 0.0, 0.03)
    assert note_turned(tree, np.inf, triangle, p) == 0
    assert 0 < note_turned(tree, np.inf, triangle, folded) <= 6
    stale = np.zeros(len(p), dtype=np.int32)
    before = np.zeros(len(tree.root), dtype=np.int32)
    open_turned(tree, before, triangle, stale)
    flat = tree.cone["cosine"][tree.root] >= LEAST_COSINE
    assert 1 <= (~flat).sum() <= 12
    assert not are_flat(tree, 0, 0)
    assert stale[corner] == 1
    # what they are part of looks for its partners anew; what is flat is watched still
    held = np.zeros(len(triangle), dtype=bool)
    for root in tree.root[flat]:
        leaves = tree.leaf[root : tree.skip[root]]
        held[leaves[leaves >= 0]] = True
    assert np.isfinite(tree.watched[held]).all()
    assert note_turned(tree, np.inf, triangle, folded) == 0  # nobody is kept from looking there


@pytest.mark.parametrize("slack", [0.02, 0.1, 0.15, 0.3, 1.0])
def test_flat_patches_are_watched_from_the_share_of_their_slack_that_may_turn_them(hinge, slack):
    x, tree, gather, _ = hinge
    gather(0.0 * x, slack, 1.0)
    assert are_flat(tree, 0, 0)
    share = float(tree.calm[0])
    assert (tree.watched == share).all()
    assert 0.04 < share * slack < 0.09 or (share == 1.0 and slack <= 0.08)
    random = np.random.default_rng(1)
    for _ in range(200):  # no normal leaves its bounds too far, wherever corners go
        away = random.normal(size=x.shape)
        away *= share * slack / np.linalg.norm(away, axis=1)[:, None]
        a, b, c = np.moveaxis((x + away)[np.array([(0, 1, 2), (2, 1, 3)])], 1, 0)
        normal = np.cross(b - a, c - a)
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        assert (np.linalg.norm(normal - (0, 0, 1), axis=1) <= LEAST_COSINE).all()


@pytest.mark.parametrize("skew", [0.0, 0.3, 0.7])
def test_a_strip_rolled_by_120_degrees_is_flat_about_whatever_axis_it_is_rolled(skew):
    """And one that is rolled by more than a half is not."""
    strip, quads = cloth_scenes.sheet(13, 2, 1.0, 0.1)
    triangle = np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]).astype(np.int32)
    tree = surface_tree(triangle, strip, *all_meet(strip))
    turn = np.array([(1, 0, 0), (0, np.cos(skew), -np.sin(skew)), (0, np.sin(skew), np.cos(skew))])
    for degrees, is_flat in ((120.0, True), (200.0, False)):
        angle = np.radians(degrees) * strip[:, 0]
        x = np.stack([np.sin(angle), strip[:, 1], np.cos(angle)], axis=1)[:, [1, 0, 2]] @ turn.T
        still = np.zeros_like(x)
        gather_normals(tree, triangle, x, still, np.zeros(len(x)), 1.0)
        assert are_flat(tree, 0, 0) == is_flat


@pytest.mark.parametrize("n", [6, 12])
def test_no_crossing_is_missed_where_triangles_turn_over(n):
    """Patches on both sides of one that turns over are flat, and may go through each other."""
    p, quads = cloth_scenes.sheet(n, n, 1.0, 1.0)
    builder = ModelBuilder()
    cloth_scenes.add_quads(builder, p, quads, ClothSettings(meets_itself=True))
    model = builder.finalize()
    room = workspace_of(model).surfaces
    random = np.random.default_rng(n)
    some = 0
    for _ in range(400):
        away = random.normal(size=p.shape) * random.uniform(0.2, 1.5) / n
        away *= random.random((len(p), 1)) < random.choice([0.1, 0.3, 1.0])
        room.x[:] = p + away * (1.0, 1.0, random.choice([0.1, 0.3, 1.0]))
        room.find_crossings(room.x, only_meshes=False)
        found = sum(partners.crossing_pairs for partners in room.partners)
        assert found == count_crossings(room.x, model.pieces.triangle)
        some += found > 0
    assert some > 100


@pytest.fixture(scope="module")
def heap():
    """Places (n, 3) of sheets that lie on each other, and all their contacts."""
    model = cloth_scenes.crossed_sheets(12, 6).model
    state = model.initial_state()
    for _ in range(40):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    room = workspace_of(model).surfaces
    (partners,) = room.partners
    pairs = (partners.pairs, partners.count)
    room.start[:] = state.position
    partners.pairs["room"] = -np.inf  # each is to be measured
    room.strays.step["way"] = room.strays.step["veer"] = np.inf
    room.grow_contacts(partners.count)
    found = measure_pairs(*pairs, room.contacts, room.watch, 0, room.vertices(0.0))
    return room.start, room.contacts[:found]


@pytest.mark.parametrize(
    ("wild", "far", "held", "most", "is_stopped"),
    [
        (24, 0.018, 0.0, 0.1, False),
        (30, 0.05, 0.0, 1.0, False),  # what is pushed pushes on
        (864, 0.02, 0.0, 1.0, False),
        (864, 0.02, 0.3, 1.0, True),
    ],
)
def test_contacts_left_out_while_a_heap_is_parted_change_no_bit(
    heap, wild, far, held, most, is_stopped
):
    place, contacts = heap
    assert len(contacts) > len(place)
    rng = np.random.default_rng(3)
    way = 3e-4 * rng.normal(size=place.shape)
    way[rng.permutation(len(place))[:wild]] *= far / 3e-4
    inverse_mass = np.where(rng.random(len(place)) < held, 0.0, 1.0)
    ends, stopped, looked_at = [], [], []
    for idle in (0, len(contacts)):  # where contacts are fewer than vertices, all are looked at
        start = np.concatenate([place, np.zeros((idle, 3))])
        x = start + np.concatenate([way, np.zeros((idle, 3))])
        masses = np.concatenate([inverse_mass, np.ones(idle)])
        told = _part(contacts.copy(), x, start, masses, idle)
        ends.append(x[: len(place)])
        stopped.append(told[0])
        looked_at.append(told[1] / len(contacts))
    assert np.array_equal(*ends)
    assert stopped[0] == stopped[1]
    assert (stopped[0] > 0) == is_stopped
    assert (ends[0] != place + way).any(axis=1).sum() > wild / 10  # were parted
    assert looked_at[0] <= most
    assert looked_at[1] == 1.0


def _sheets_that_lie_too_near(gap):
    """Room and contacts of two level sheets of unlike meshes, less apart than they are to keep."""
    builder = ModelBuilder()
    for n, width, z in ((9, 0.2, 0.0), (12, 0.17, gap)):
        place, quads = cloth_scenes.sheet(n, n, width, width)
        place[:, 2] += z
        first = builder.particle_count
        builder.add_particles(f"sheet {n}", place, mass=1.0, radius=0.005)
        builder.add_surface(np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]) + first)
    model = builder.finalize()
    room = workspace_of(model).surfaces
    room.start[:] = model.particles.position
    room.expect_all()
    room.find(0.0, 1, mesh_moves=False)
    (partners,) = room.partners
    room.grow_contacts(partners.count)
    pairs = (partners.pairs, partners.count)
    return room, measure_pairs(*pairs, room.contacts, room.watch, 0, room.vertices(0.0))


def test_layers_that_lie_too_near_are_parted_once_however_many_contacts_they_have():
    gap, reach, h = 0.008, 0.01, 1.0 / 480.0
    room, count = _sheets_that_lie_too_near(gap)
    assert count > 5 * len(room.x)
    room.parted[:] = room.start
    found = (room.contacts, count, count, room.watch)
    room.x[:] = room.previous[:] = room.start
    particles = Particles(room.x, room.previous, room.inverse_mass)
    part_layers(*found, room.start, room.parted, particles, room.sheets, h)
    way = room.parted[:, 2] - room.start[:, 2]
    inner = np.abs(room.start[:, :2]).max(axis=1) < 0.07
    wanted = 0.1 * (reach - gap)
    came_apart = way[inner & (room.start[:, 2] > 0.0)].mean() - way[inner & (way < 0.0)].mean()
    assert 0.9 * wanted < came_apart < 2.0 * wanted
    assert np.abs(way).max() < 2.0 * wanted


def test_a_heap_of_folded_towels_hardly_trembles():
    """Layers whose contacts all part them anew shake each other at half a metre a second."""
    model = cloth_scenes.folded_towels(13, 4).model
    state = model.initial_state()
    for _ in range(30):
        state, diagnostics = advance(model, state, FrameInputs(), SolverSettings())
        assert diagnostics.crossings == ()
    speed = np.linalg.norm(state.position - state.previous, axis=1) * 480.0
    assert speed.mean() < 0.03


def test_a_sheet_that_touches_nothing_ends_with_the_bits_of_one_that_meets_nothing():
    ends = []
    for meets in (True, False):
        settings = ClothSettings(meets_itself=meets, meets_others=meets)
        builder = ModelBuilder()
        p, quads = cloth_scenes.sheet(24, 24, 2.0, 2.0)
        pins = np.zeros(len(p))
        pins[[0, 23]] = 1.0
        cloth_scenes.add_quads(builder, p, quads, settings, pins)
        model = builder.finalize()
        state = model.initial_state()
        for _ in range(30):
            state, _ = advance(model, state, FrameInputs(), SolverSettings())
        ends.append(state.position.tobytes())
    assert ends[0] == ends[1]


def test_what_is_flung_in_mid_frame_is_seen_though_nothing_was_near(monkeypatch):
    """Something throws one of two sheets that are still through the other one, in one substep."""
    builder = ModelBuilder()
    p, quads = cloth_scenes.sheet(12, 12, 1.0, 1.0)
    settings = ClothSettings(meets_itself=True, meets_others=True)
    for height in (0.0, 0.25):
        level = np.stack(
            [p @ (1.0, 0.0, 0.0), p @ (0.0, 1.0, 1.0), np.full(len(p), height)], axis=1
        )
        cloth_scenes.add_quads(builder, level, quads, settings)
    model = builder.finalize()
    first, were_quiet = model.objects[0].particles, []
    settle = SurfaceContacts.settle

    def fling(surfaces, contacts):
        settle(surfaces, contacts)
        if surfaces.frame.substep == 6 and not were_quiet:
            were_quiet.append(surfaces.search.is_quiet)
            surfaces.frame.x[first] += (0.0, 0.0, 0.6)

    monkeypatch.setattr(SurfaceContacts, "settle", fling)
    state = model.initial_state()
    for _ in range(2):
        state, diagnostics = advance(model, state, FrameInputs(), SolverSettings())
        assert count_crossings(state.position, model.pieces.triangle) == 0
        assert diagnostics.crossings == ()
        low, high = (state.position[model.objects[n].particles] for n in range(2))
        across = np.linalg.norm(low[:, None, :2] - high[None, :, :2], axis=2)
        i, k = np.nonzero(across < 0.5 / 11)  # where they lie over each other
        assert len(i) > 100
        assert (low[i, 2] < high[k, 2]).mean() > 0.9  # as at the start, but where they lean
    assert were_quiet[0]


def test_all_pairs_are_looked_for_when_a_mesh_leaves_its_flight(monkeypatch):
    """The flight of a mesh is laid when all are looked for, and then alone."""
    leaves, look = SurfaceSearch._leave_flight, SurfaceSearch.look
    has_left, found = [], []

    def leave(search, rows):
        if rows is search.room.mesh_rows and search.frame.substep % 7 == 5:
            has_left.append(True)
            return True
        return leaves(search, rows)

    def look_for_pairs(search, may_be_alone):
        has_left.clear()
        look(search, may_be_alone)
        if has_left:
            found.append(search.since == 0)

    monkeypatch.setattr(SurfaceSearch, "_leave_flight", leave)
    monkeypatch.setattr(SurfaceSearch, "look", look_for_pairs)
    scene = pinched(Pinch(kind="MESH", vertices=12))
    state = scene.model.initial_state()
    for frame in range(1, 25):
        state, _ = advance(scene.model, state, scene.inputs(frame), SolverSettings())
    assert len(found) > 10
    assert all(found)


def test_a_flight_by_two_substeps_reckons_with_where_the_present_one_goes():
    """A vertex that trembles by 1 cm and is to come back, with slack for 2 mm alone."""
    strays, rows, stale = strays_room(1), np.zeros(1, np.int32), np.ones(1, np.int32)
    start, there, comes_back = np.zeros((1, 3)), np.array([[0.01, 0.0, 0.0]]), np.zeros((1, 3))
    course = Course(np.zeros((1, 3)), np.zeros((1, 3)), 0)
    bounds = (0.002, 0.004, 1e-4, 1e-3)
    renew_flight(strays, rows, stale, start, there, comes_back, course, bounds)
    assert (course.speed == 0.0).all()
    assert strays.slack[0] >= strays.bound[0] > 0.01
    end = course._replace(ahead=1)
    missed, strayed = check_strays(strays, np.zeros(1), rows, stale, start, there, end)
    assert missed == 0
    assert strayed <= 1.0


def test_patches_end_at_notches():
    """A sheet of 8 × 8 faces, whole, slit half through, and with a step cut out of its border."""
    x, quads = cloth_scenes.sheet(9, 9, 1.0, 1.0)
    triangle = np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]).astype(np.int32)
    middle = x[triangle].mean(axis=1)
    assert surface_tree(triangle, x, *all_meet(x)).whole[0] == 1
    # one more vertex for what lies right of the line x = 0, y < 0
    right = (middle[:, 0] > 0.0) & (middle[:, 1] < 0.0)
    on_slit = np.flatnonzero((np.abs(x[:, 0]) < 1e-9) & (x[:, 1] < -1e-9))
    twin = np.arange(len(x))
    twin[on_slit] = len(x) + np.arange(len(on_slit))
    slit = np.where(right[:, None], twin[triangle], triangle).astype(np.int32)
    places = np.concatenate([x, x[on_slit]])
    found = notches(slit, places)
    tip = int(np.flatnonzero(np.linalg.norm(x, axis=1) < 1e-9)[0])
    assert found[tip] == pytest.approx(np.pi)
    assert np.delete(found, tip).max() < 1e-6
    tree = surface_tree(slit, places, *all_meet(places))
    around = {n for n in range(len(slit)) if tip in slit[n]}
    for node in range(int(tree.skip[0])):
        below = {int(t) for t in tree.leaf[node : tree.skip[node]] if t >= 0}
        if len(below) > 1 and below & around:
            assert tree.whole[node] == 0
    for patch in {int(p) for p in range(len(tree.root)) if tree.leaf[tree.root[p]] in around}:
        assert tree.near_start[patch] == tree.near_start[patch + 1]
    # a corner that is cut out: a quarter turn, over which nothing closes
    stays = ~((middle[:, 0] > 0.0) & (middle[:, 1] < 0.0))
    assert notches(triangle[stays], x)[tip] == pytest.approx(0.5 * np.pi)
    assert surface_tree(triangle[stays], x, *all_meet(x)).whole[0] == 1


def test_the_sides_of_a_slit_are_told_by_where_they_lie():
    """Two squares that lie on each other along an edge, each with corners of its own."""
    x = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float)
    places = np.concatenate([x, x + (1, 0, 0)])
    triangle = np.array([(0, 1, 2), (0, 2, 3), (4, 5, 6), (4, 6, 7)], dtype=np.int32)
    ways = ways_inwards(triangle, places)
    assert (ways[[1, 2], 0] < -0.5).all()
    assert (ways[[4, 7], 0] > 0.5).all()
    spot = 1e-9 * ways
    crossed = crossed_room(np.zeros(8, dtype=np.int64), spot)
    for corner, is_edges in (((1, 4, 5, 6), 0), ((2, 4, 6, 7), 0), ((1, 2, 4, 7), 1)):
        way = slit_way(crossed, places, corner, is_edges, 1e-11)
        assert np.linalg.norm(way) == pytest.approx(1e-11)
        assert way[0] < -0.6e-11, corner  # a is on the left
