"""Contacts begin with the impulses of the substep before."""

from __future__ import annotations

from ...kernels.jit import lean
from .contact_point import push_contact


@lean
def warm_contacts(contacts, owners):
    """Push with what is remembered."""
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        for d in range(3):
            p = row["impulse"][d]
            if p != 0.0:
                push_contact(row, d, owners, p)
