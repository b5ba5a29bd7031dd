"""What is worked out once for a table, however many models share it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Table = TypeVar("Table")
Found = TypeVar("Found")


def once_for_each(find: Callable[[Table], Found]) -> Callable[[Table], Found]:
    """The same function of a table, which remembers what it found for as long as the table is used.

    Tables never change, and the models of what is awake (`awake_part`) share most of them: of a
    mesh collider nothing is sought anew when something falls asleep on it.
    """
    known: weakref.WeakKeyDictionary[Table, Found] = weakref.WeakKeyDictionary()

    @wraps(find)
    def remembered(table: Table) -> Found:
        if table not in known:
            known[table] = find(table)
        return known[table]

    return remembered
