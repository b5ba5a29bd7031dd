"""Forces: what pushes particles before they move. Evaluated at 120 Hz and held between."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..forces.field import Exposed, add_fields, kick, pack_fields, surface_normals
from ..forces.wind import EVALUATION_RATE, Air, add_wind, add_wire_wind, is_calm, sample_gusts
from ..model import Model
from ..model.force import Acting
from ..rigid.step import COLLIDE_EVERY
from .bodies import Bodies
from .body_forces import BodyForces
from .frame import Frame
from .outside import Outside, Packed, acted_before, lasting


class ForceScratch:
    """Arrays of the forces on particles."""

    def __init__(self, model: Model) -> None:
        count = len(model.particles)
        self.force = np.zeros((count, 3))  # N
        self.force_before = np.zeros((count, 3))  # N, of what acted in the frame before
        self.air = np.zeros((len(model.pieces.triangle), 3))  # m/s, wind at each triangle
        self.wire_air = np.zeros((len(model.pieces.wire), 3))  # m/s, wind at each wire
        self.normal = np.zeros((count, 3))  # of the surface at each particle, for force fields


class Forces:
    """Collects the forces of a substep in ``force`` (n, 3), N."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        model, inputs = frame.model, frame.inputs
        self.scratch = frame.scratch(ForceScratch)
        self.force = self.scratch.force
        self.impulses = [one for one in inputs.fields if one.acts and one.is_impulse]
        packed = frame.scratch(Packed).pack(inputs)
        self.before = acted_before(frame.state, packed, model)
        frame.state.acted = packed
        fields = pack_fields(lasting(inputs.fields))
        self.now = Outside(frame.gravity, inputs.wind, fields, frame.keyed)
        has_surface = len(model.pieces.triangle) > 0 or len(model.pieces.wire) > 0
        self.is_windy = has_surface and not is_calm(inputs.wind)
        self.is_any = self.is_windy or bool(model.forces) or len(fields) > 0
        self.is_any = self.is_any or inputs.pull is not None
        frame.has_forces = self.is_any or len(self.impulses) > 0
        self.every = max(1, round(1.0 / (frame.h * EVALUATION_RATE)))
        self.block = 1  # substeps that are made in one go
        if frame.is_asleep:
            self.block = COLLIDE_EVERY
            self.every = -(-self.every // self.block) * self.block
        self.bodies = BodyForces(frame, self.now, self.every)
        self.jump: Floats | None = None  # (n, 3) m/s², by what begins with this frame

    def apply(self, bodies: Bodies) -> None:
        """Evaluate anew when it is time to; explosions and hits act at their moment."""
        frame = self.frame
        self._kick(bodies)
        starts = frame.substep == 0 and frame.time == 0.0
        before = self.before if frame.substep == 0 else None
        if before is not None and not starts:
            self._evaluate(before, self.scratch.force_before)
        if self.is_any and frame.substep % self.every == 0:
            self.bodies.push()
            self._evaluate(self.now, self.force)
        if before is not None or (starts and self.is_any):
            self._find_jump(starts)
            self.bodies.set_out(before, starts)

    def _evaluate(self, outside: Outside, force: Floats) -> None:
        """The forces (n, 3) N on particles of what acts from outside and of objects' own."""
        frame = self.frame
        force[:] = 0.0
        if not len(frame.model.particles):
            return
        if (len(frame.model.pieces.triangle) or len(frame.model.pieces.wire)) and not is_calm(
            outside.wind
        ):
            self._blow(outside, force)
        if len(outside.fields):
            self._push(outside, force)
        if frame.model.forces:
            acting = Acting(
                frame.x,
                (frame.x - frame.previous) / frame.h,
                frame.inverse_mass,
                frame.model.particles.mass,
                force,
                frame.time,
                self.every * frame.h,
                outside.factors.animated,
                outside.gravity,
            )
            for one in frame.model.forces:
                one.apply(acting)

    def _find_jump(self, starts: bool) -> None:
        """By how much accelerations jump with this frame; before the start gravity acted alone."""
        frame = self.frame
        force = self.force if self.is_any else np.zeros_like(self.force)
        if not starts:
            force = force - self.scratch.force_before
        self.jump = frame.inverse_mass[:, None] * force
        if self.before is not None:
            self.jump[frame.inverse_mass > 0.0] += frame.gravity - self.before.gravity

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
                exposed = self._exposed(self.now, self.force)
                kick(exposed, pack_fields([one]), wait, frame.h)

    def _exposed(self, outside: Outside, force: Floats) -> Exposed:
        """What fields do something to."""
        frame = self.frame
        return Exposed(
            *frame.particles,
            mass=frame.model.particles.mass,
            factor=outside.in_fields,
            normal=self.scratch.normal,
            force=force,
        )

    def _push(self, outside: Outside, force: Floats) -> None:
        frame = self.frame
        normal = self.scratch.normal
        normal[:] = 0.0
        if len(frame.model.pieces.triangle) and outside.fields["surface"].any():
            surface_normals(frame.x, frame.model.pieces.triangle, normal)
        moment = (frame.time, frame.h, self.every * frame.h)
        add_fields(self._exposed(outside, force), outside.fields, outside.gravity, *moment)

    def _blow(self, outside: Outside, force: Floats) -> None:
        frame = self.frame
        model, wind = frame.model, outside.wind
        triangle_air, wire_air = self.scratch.air, self.scratch.wire_air
        elements = ((model.pieces.triangle, triangle_air), (model.pieces.wire, wire_air))
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
        exposure = outside.in_wind
        exposed, pushed = (frame.particles, exposure), (air, frame.h, force)
        if len(model.pieces.triangle):
            add_wind(*exposed, model.pieces.triangle, triangle_air, *pushed)
        if len(model.pieces.wire):
            wires = (model.pieces.wire, model.pieces.wire_diameter, wire_air)
            add_wire_wind(*exposed, *wires, *pushed)
