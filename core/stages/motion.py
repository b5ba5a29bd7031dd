"""Motion: free particles fly on, pins and colliders go where they are driven."""

from __future__ import annotations

from ..constraints.attach import attach_pins
from ..contact.shapes import move_shapes
from ..integrate import move_pins, position_verlet
from .forces import Forces
from .frame import Frame


class Motion:
    """Moves everything by one substep before constraints correct it."""

    def __init__(self, frame: Frame, forces: Forces) -> None:
        self.frame = frame
        self.forces = forces
        self.pin_start = frame.state.pin_position
        self.pin_end = frame.target("pin_position", frame.inputs.pin_position, self.pin_start)
        self.has_soft_pins = bool((frame.pin_weight < 1.0).any())

    def integrate(self) -> None:
        """One step of the integrator for every free particle, those of the bodies too."""
        frame = self.frame
        position_verlet.on(frame.threads)(
            frame.x,
            frame.previous,
            frame.inverse_mass,
            frame.work.keep,
            frame.gravity,
            frame.work.force,
            self.forces.is_any,
            frame.h,
        )

    def drive(self) -> None:
        """Move pins and colliders to their places at the end of this substep."""
        frame, model = self.frame, self.frame.model
        if len(model.pinned):
            move_pins(
                frame.x,
                frame.previous,
                model.pinned,
                frame.pin_weight,
                self.pin_start,
                self.pin_end,
                frame.end_share,
            )
        if self.has_soft_pins:
            attach_pins(
                frame.x,
                frame.previous,
                model.pinned,
                frame.pin_weight,
                self.pin_start,
                self.pin_end,
                frame.end_share,
                frame.begin_share,
                frame.h,
            )
        if len(model.shape_kind):
            move_shapes(
                frame.work.shapes,
                frame.x,
                frame.previous,
                model.body_first_particle,
                model.body_extent,
                frame.state.collider_position,
                frame.state.collider_orientation,
                *frame.collider_end,
                frame.end_share,
                frame.begin_share,
            )

    def finish(self) -> None:
        """Remember where the pins were driven."""
        self.frame.state.pin_position = self.pin_end.copy()
