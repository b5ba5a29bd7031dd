"""Meshes that surfaces meet, followed along their motion within a frame: led ones and bodies'."""

from __future__ import annotations

import numpy as np

from ..particles.contacts.surface_room import SurfaceRoom
from .bodies import Bodies
from .frame import Frame


class FollowedMeshes:
    """Where the vertices of meshes are in each substep of a frame, in the room of the surfaces."""

    def __init__(self, frame: Frame, bodies: Bodies, room: SurfaceRoom) -> None:
        self.frame, self.bodies, self.room = frame, bodies, room
        self.do_move = False  # in the present substep
        self._are_placed = False
        if room.meshes is not None:
            room.meshes.begin(frame.state.mesh_vertex, frame.mesh_end)

    def begin(self) -> bool:
        """Both ends of the substep, of bodies as far as is known; whether more is near than before.

        Called when particles have moved by themselves.
        """
        room, frame, led = self.room, self.frame, self.room.led
        meshes = room.meshes
        if meshes is None:
            return False
        shapes, owners = frame.work.shapes, frame.work.owners
        is_more = room.has_bodies and self._look_for_near()
        if not self._are_placed:
            known = room.start[led:].copy()
            meshes.place(room.start, led, shapes, frame.begin_share, True)
            meshes.place_bodies(room.x, led, owners.position, owners.rotation)
            room.start[room.by_itself :] = room.x[room.by_itself :]
            room.are_boxes_wide |= not np.array_equal(known, room.start[led:])
            room.x[led:] = room.start[led:]
            self._are_placed = True
        elif self.do_move:
            room.start[led:] = room.x[led:]
        self.do_move = meshes.moves(shapes)
        if self.do_move:
            meshes.place(room.x, led, shapes, frame.end_share, False)
        self.do_move |= meshes.place_bodies(room.x, led, *self.bodies.ahead)
        return is_more

    def _look_for_near(self) -> bool:
        """Take up what is drawn of bodies that cloth may reach now; whether that is more."""
        ends = self.frame.work.owners.position, self.bodies.ahead[0]
        is_more = self.room.look_for_near(self.frame.x, ends, not self._are_placed)
        if is_more:
            self._are_placed = False
        return is_more

    def end(self) -> bool:
        """Where bodies have got to, led elsewhere by what they met; whether any is near."""
        room = self.room
        if len(room.body_rows) == 0:
            return False
        assert room.meshes is not None
        owners = self.frame.work.owners
        self.do_move |= room.meshes.place_bodies(room.x, room.led, owners.position, owners.rotation)
        return True
