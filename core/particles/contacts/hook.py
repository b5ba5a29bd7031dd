"""How what touches hooks into the contacts of a substep, see `contact_hooks`.

A kind of thing that touches is one class: it finds contacts, does what is to be done between passes
over them and after the last one, and owns the scratch memory for it. The stage that runs the hooks
knows none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...arrays import Floats, Ints
from ...collision.shapes import Shapes
from ...collision.touching import Touching
from ...model import Model
from ...records import Particles
from ...settings import AnimatedSettings
from .contact_places import Movable
from .contact_point import ParticleContacts
from .foothold import Footholds

if TYPE_CHECKING:
    from ...coupling.pin_hold import Tethers
    from ...coupling.tying import Tying
    from .between_bodies import BetweenBodies
    from .surface_room import SurfaceRoom


@dataclass(slots=True)
class Surroundings:
    """What a hook is made for: a model, and what all stages share of its scratch memory."""

    model: Model
    shapes: Shapes
    owners: Any  # bodies and colliders, see `rigid.owners`
    touching: Touching  # of rigid bodies, with trees over the triangles of meshes
    thickness: Floats  # (k,) m, smallest half extent of each shape
    margin: Floats  # (k,) m, how early contacts of each shape are found
    piece: Ints  # (e, 3) triangles of cloth and, ending with −1, stretches of rope
    ties: Sequence[Tying]  # of particles to bodies
    tie_push: Floats  # (b, 3) N·s that ties have given in this substep
    surfaces: SurfaceRoom | None  # cloth that meets itself or others, None where there is none
    between: BetweenBodies | None  # cloth between bodies that move, None where there is one at most
    strain_force: Floats  # (b, 2, 3) N and N·m that cloth at its limit holds bodies with
    tethers: Tethers  # as far as they reach now, see `forced_stretch`


@dataclass(slots=True)
class Meeting:
    """A substep as hooks see it, from frame to frame a new one."""

    particles: Particles
    inverse_mass: Floats  # (n,) 1/kg in contacts: less than in particles where something holds
    friction: Floats  # (n,)
    owners: Any
    animated: Sequence[AnimatedSettings]  # one for each of Model.objects
    threads: int
    h: float  # s
    fall: float  # m, by gravity in one substep
    gravity: Floats  # (3,) m/s²
    substeps: int  # of the frame
    push_out: Callable[[Ints], None]  # project some of what collides out of colliders
    contacts: ParticleContacts
    backing: Ints  # (n,) what is behind vertices that bodies press on, see `squeeze`
    barred: Floats  # (n, 3) unit, along which these give way to nothing; 0 for all others
    footholds: Footholds  # of contacts that press them there
    substep: int = 0
    count: int = 0  # of contacts

    @property
    def movable(self) -> Movable:
        """What contacts move."""
        particles = self.particles._replace(inverse_mass=self.inverse_mass)
        return Movable(particles, self.owners, self.h, self.barred, self.footholds)


class ContactHook:
    """A kind of thing that touches; each method does nothing where a kind has no use for it."""

    is_rigid = False
    """Whether it asks for passes until they push no farther than gravity moves in a step."""

    @property
    def is_any(self) -> bool:
        """Whether it may touch anything in this frame, asked after `begin`."""
        return False

    def does(self, part: str) -> bool:
        """Whether this kind has a use for the method of that name."""
        return getattr(type(self), part) is not getattr(ContactHook, part)

    turns_rings = False
    """Whether its particles give what contacts have turned to those around them."""

    @property
    def wholes(self) -> Sequence[Ints]:
        """Particles of each whole that turns back as one, see `couple_return`."""
        return ()

    @property
    def room(self) -> int:
        """Contacts that there is room for at first."""
        return 0

    def begin(self, meeting: Meeting) -> None:
        """Begin a frame."""

    def look(self, meeting: Meeting) -> None:
        """Look what is near, in each substep and before anyone finds contacts."""

    def find(self, c: int, meeting: Meeting) -> int:
        """Write contacts from row c on, see `contact_point`; returns the row after them.

        It may return more than there is room for, and is then asked again.
        """
        return c

    def hold(self, meeting: Meeting) -> None:
        """Hold what is held in this substep, by `Meeting.inverse_mass` or place; all are found."""

    def relax(self, meeting: Meeting) -> float:
        """Project once, after each pass over contacts; returns how far m something was moved."""
        return 0.0

    def spare(self, meeting: Meeting) -> None:
        """Mark contacts that stay as they are when all are gone over again."""

    def stop(self, meeting: Meeting) -> None:
        """Stop what shortened cloth holds, before contacts are gone over again."""

    def support(self, meeting: Meeting) -> None:
        """Carry what has been pushed, after the last of those passes."""
