"""Gives ready things what they need around them: something to fall on, and moving air."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from .shapes import surface
from .site import Site

FLOOR = 12.0  # m, side
GREY = (0.3, 0.31, 0.33)
WIND, GUSTS = (5.0, 0.8, 0.0), 0.5  # m/s, and a factor


def add_floor(site: Site, place: Sequence[float] = (0.0, 0.0, 0.0)) -> bpy.types.Object:
    """A level floor that stops what falls on it."""
    x, y = np.meshgrid([-0.5 * FLOOR, 0.5 * FLOOR], [-0.5 * FLOOR, 0.5 * FLOOR])
    shape = surface(np.stack([x, y, np.zeros_like(x)], axis=2))
    return site.set_up(site.add_mesh("Floor", shape, GREY, place), "COLLIDER")


def blow(scene: bpy.types.Scene) -> None:
    """A fresh breeze along X, in gusts."""
    scene.verlet.wind.velocity, scene.verlet.wind.gust = WIND, GUSTS
