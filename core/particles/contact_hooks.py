"""All kinds of things that touch where particles are involved; the order is that of their work.

To add one, write a `ContactHook` in a file of its own and enter it here, with when a model has any.
"""

from __future__ import annotations

from collections.abc import Callable

from ..collision.kinds import MESH
from ..coupling.tying import ties_of
from ..model import Model
from .contacts.body_contact import ParticleBodies
from .contacts.hook import ContactHook, Surroundings
from .contacts.lone_contact import LoneParticles
from .contacts.own_clothes import OwnClothes
from .contacts.piece_contact import PieceContacts
from .contacts.pin_holds import PinHolds
from .contacts.self_collision import SelfCollision
from .contacts.squeeze import Squeeze
from .contacts.strain_hold import StrainHolds
from .stick_figures.limb_search import StickFigures


def _has_particle_bodies(model: Model) -> bool:
    return len(model.particle_bodies) > 0


def _has_pieces(model: Model) -> bool:
    if len(model.pieces) == 0 or len(model.shapes) == 0:
        return False
    # surfaces that mesh colliders do not pass through meet them by themselves
    are_meshes = bool((model.shapes.kind == MESH).all())
    return not (
        are_meshes
        and len(model.pieces.wire) == 0
        and model.surfaces.parts_meshes[model.pieces.triangle].all()
    )


def _has_figures(model: Model) -> bool:
    return len(model.limbs) > 0


def _has_lone_particles(model: Model) -> bool:
    return len(model.bodies) + len(model.particle_bodies) > 0 and len(model.particles.colliding) > 0


def _has_self_collision(model: Model) -> bool:
    return len(model.self_collision) > 0


def _may_squeeze(model: Model) -> bool:
    has_ground = model.collider_shape_count > 0 or len(model.bodies) > 1
    return has_ground and len(model.bodies) > 0 and len(model.particles.colliding) > 0


def _has_tethered_bodies(model: Model) -> bool:
    return len(model.bodies) > 0 and len(model.tethers) > 0


def _is_any_worn(model: Model) -> bool:
    return len(ties_of(model.constraints)) > 0


HOOKS: tuple[tuple[Callable[[Model], bool], Callable[[Surroundings], ContactHook]], ...] = (
    (_has_particle_bodies, ParticleBodies),
    (_has_pieces, PieceContacts),
    (_has_figures, StickFigures),
    (_has_lone_particles, LoneParticles),
    (_has_self_collision, SelfCollision),
    (_may_squeeze, Squeeze),
    (_has_tethered_bodies, PinHolds),
    (_is_any_worn, OwnClothes),
    (_has_tethered_bodies, StrainHolds),
)


def hooks_for(about: Surroundings) -> tuple[ContactHook, ...]:
    """Those that a model has any use for."""
    return tuple(make(about) for has, make in HOOKS if has(about.model))
