"""Forces: what pushes particles before they move. Evaluated at 120 Hz and held between."""

from __future__ import annotations

import numpy as np

from ..forces.base import Acting
from ..forces.field import Exposed, add_fields, kick, needs_normals, pack_fields, surface_normals
from ..forces.wind import EVALUATION_RATE, Air, add_wind, add_wire_wind, is_calm, sample_gusts
from ..model import Model
from ..rigid.step import COLLIDE_EVERY
from .bodies import Bodies
from .body_forces import BodyForces
from .frame import Frame


class ForceScratch:
    """Arrays of the forces on particles."""

    def __init__(self, model: Model) -> None:
        count = model.particle_count
        self.force = np.zeros((count, 3))  # N
        self.air = np.zeros((len(model.triangle), 3))  # m/s, wind at each triangle
        self.wire_air = np.zeros((len(model.wire), 3))  # m/s, wind at each wire
        self.normal = np.zeros((count, 3))  # of the surface at each particle, for force fields


class Forces:
    """Collects the forces of a substep in ``force`` (n, 3), N."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        model = frame.model
        self.scratch = frame.scratch(ForceScratch)
        self.force = self.scratch.force
        given = [one for one in frame.inputs.fields if one.acts]
        held = [one for one in given if not one.is_impulse]
        self.impulses = [one for one in given if one.is_impulse]
        self.fields = pack_fields(held)
        self.has_normals = needs_normals(model, held)
        self.susceptibility = frame.factors("fields") if given else None
        if given and self.susceptibility is None:
            self.susceptibility = np.ones(model.particle_count)
        has_surface = len(model.triangle) > 0 or len(model.wire) > 0
        self.is_windy = has_surface and not is_calm(frame.inputs.wind)
        self.is_any = self.is_windy or bool(model.forces) or len(held) > 0
        self.is_any = self.is_any or frame.inputs.pull is not None
        frame.has_forces = self.is_any or len(self.impulses) > 0
        if self.is_windy:
            exposure = frame.factors("wind")
            self.exposure = np.ones(model.particle_count) if exposure is None else exposure
        self.every = max(1, round(1.0 / (frame.h * EVALUATION_RATE)))
        self.block = 1  # substeps that are made in one go
        if model.particle_count == 0:
            self.block = COLLIDE_EVERY
            self.every = -(-self.every // self.block) * self.block
        self.bodies = BodyForces(frame, self.fields, self.every)

    def apply(self, bodies: Bodies) -> None:
        """Evaluate anew when it is time to; explosions and hits act at their moment."""
        frame = self.frame
        self._kick(bodies)
        if not self.is_any or frame.substep % self.every:
            return
        self.bodies.push()
        self.force[:] = 0.0
        if self.is_windy:
            self._blow()
        if len(self.fields):
            self._push()
        if frame.model.forces:
            acting = Acting(
                frame.x,
                (frame.x - frame.previous) / frame.h,
                frame.inverse_mass,
                frame.model.mass,
                self.force,
                frame.time,
                self.every * frame.h,
                frame.animated,
                frame.gravity,
            )
            for one in frame.model.forces:
                one.apply(acting)

    def _kick(self, bodies: Bodies) -> None:
        """Explosions and hits whose moment lies in this substep."""
        frame = self.frame
        for one in self.impulses:
            late = one.time - frame.state.time
            if late < 0.0 or one.time >= frame.state.time + frame.inputs.duration:
                continue
            moment = min(int(late / frame.h), frame.substeps - 1)
            if moment // self.block * self.block == frame.substep:
                wait = late - frame.substep * frame.h
                self.bodies.kick(one, wait, bodies)
                kick(self._exposed, pack_fields([one]), wait, frame.h)

    @property
    def _exposed(self) -> Exposed:
        """What fields do something to."""
        frame = self.frame
        return Exposed(
            *frame.particles,
            mass=frame.model.mass,
            factor=self.susceptibility,
            normal=self.scratch.normal,
            force=self.force,
        )

    def _push(self) -> None:
        frame = self.frame
        normal = self.scratch.normal
        if self.has_normals:
            surface_normals(frame.x, frame.model.triangle, normal)
        elif frame.substep == 0:
            normal[:] = 0.0
        moment = (frame.time, frame.h, self.every * frame.h)
        add_fields(self._exposed, self.fields, frame.gravity, *moment)

    def _blow(self) -> None:
        frame = self.frame
        model, wind = frame.model, frame.inputs.wind
        triangle_air, wire_air = self.scratch.air, self.scratch.wire_air
        elements = ((model.triangle, triangle_air), (model.wire, wire_air))
        if frame.substep == 0:
            mean = np.array(wind.velocity, dtype=np.float64)
            for element, velocity in elements:
                sample_gusts(
                    frame.x, element, mean, wind.gust, wind.gust_length, frame.state.time, velocity
                )
        air = Air(
            density=wind.air_density,
            drag=wind.drag,
            lift=wind.lift,
            skin=wind.skin_friction,
            hold=self.every * frame.h,
        )
        exposed, pushed = (frame.particles, self.exposure), (air, frame.h, self.force)
        if len(model.triangle):
            add_wind(*exposed, model.triangle, triangle_air, *pushed)
        if len(model.wire):
            wires = (model.wire, model.wire_diameter, wire_air)
            add_wire_wind(*exposed, *wires, *pushed)
