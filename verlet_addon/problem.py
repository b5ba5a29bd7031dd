"""What the panel and Doctor tell of a scene, each with its object and a way out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """Something that the panel shows, with a button that mends it where there is one."""

    message: str
    object_uid: int = 0  # the object that it is about
    operator: str = ""  # the mending operator and its button's text
    button: str = ""
    is_error: bool = False
