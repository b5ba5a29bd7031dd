"""Arrays that the stages of rigid bodies share."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..collision.reach import FOUND_BEFORE, settling_radius
from ..model import Model
from ..rigid.owners import Ahead, body_moves
from ..workspace import workspace_of


class BodyScratch:
    """What moves the bodies of a model, and where they get to."""

    def __init__(self, model: Model) -> None:
        owners = model.owner_count
        self.radius = settling_radius(model)  # (b,) m
        self.moves = body_moves(model, np.zeros(3))
        self.moves_step = 0.0  # s that the drags in it are for, 0 where they are keyed
        self.is_pushed = False  # whether forces in it may be others than zero
        self.load = np.zeros((len(model.bodies), 3))  # m/s², gravity and what those forces do
        self.ahead = Ahead(np.zeros((owners, 3)), np.tile(np.eye(3), (owners, 1, 1)))
        self.reach = np.zeros(len(model.shapes))  # m, how far shapes may get
        thickness = workspace_of(model).thickness
        # m, how early contacts of each shape are found
        self.near: Floats = np.where(np.isfinite(thickness), FOUND_BEFORE * thickness, 0.0)
        self.room = self.near.copy()  # m, with half of the cloth that keeps it from others
