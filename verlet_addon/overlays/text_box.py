"""The box behind a text that is drawn over a view."""

from __future__ import annotations

Colour = tuple[float, float, float, float]


def draw_box(lower: tuple[float, float], upper: tuple[float, float], colour: Colour) -> None:
    """A rectangle between two corners, in px of the region."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    (left, bottom), (right, top) = lower, upper
    corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": corners}, indices=[(0, 1, 2), (0, 2, 3)])
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("color", colour)
    batch.draw(shader)
    gpu.state.blend_set("NONE")
