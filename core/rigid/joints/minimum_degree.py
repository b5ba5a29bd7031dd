"""Order of elimination of a sparse symmetric matrix: approximate minimum degree.

What an eliminated variable touched touches each other from then on. Next comes the variable that
touches least (Amestoy, Davis & Duff 1996): what is eliminated lives on as an *element*, the clique
of those that it touched, so that no clique is written out; variables that touch the same become
one; and degrees are bounded from above, which takes no longer than to read the lists of elements.

Each element is a *front* of the multifrontal method (Duff & Reid 1983): variables that are
eliminated at once, and the front that first eliminates one of those that they touch, its parent.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.jit import allocating_kernel, lean_inline

if TYPE_CHECKING:
    from ...arrays import Ints

Places = NDArray[np.int64]

Quotient = namedtuple(
    "Quotient",
    [
        "weight",  # (v,) rows of a variable and of those that are one with it; 0: gone; < 0: marked
        "first",  # (v + 1,) into ``near``
        "near",  # what a variable touches: elements, then variables
        "elements",  # (v,) how many elements
        "count",  # (v,) how many elements and variables
        "degree",  # (v,) rows that a variable touches, at most
        "head",  # (rows + 1,) first variable of each degree, the one that has waited longest
        "tail",  # (rows + 1,) last one
        "after",  # (v,) next variable of the same degree
        "before",  # (v,)
        "one_with",  # (v,) next one of those that are one with a variable
        "last_one",  # (v,) last one of those
        "bucket",  # (v,) first variable of a border of each hash
        "next_like",  # (v,) next one of the same hash
        "hash",  # (v,)
        "member_from",  # (v + 1,) by element, into a list of variables
        "size",  # (v,) rows of each element's border
        "beyond",  # (v,) of these, what the newest element does not touch
        "seen",  # (v,) newest element for which that was found
        "lives",  # (v,) 1: element that no other one has taken in
        "parent",  # (v,) element that has taken it in, −1 for none
        "rows",  # (v,) that an element eliminates
        "order",  # (v,) variables as they are eliminated
        "pivot_from",  # (v + 1,) by element, into ``order``
    ],
)


class Elimination(NamedTuple):
    """In which order v variables are eliminated, and the f fronts that makes, children first."""

    order: Places  # (v,)
    pivot_from: Places  # (f + 1,) first place of each front in ``order``
    parent: Places  # (f,) of each front, −1 for none


def eliminate(weight: Places, first: Places, near: Places) -> Elimination:
    """The order that fills in little, and its fronts.

    weight (v,): rows that each variable stands for; near[first[i] : first[i + 1]]: whom variable i
    touches, each of them once and never itself.
    """
    count, rows = len(weight), int(weight.sum())

    def ints(value: int, size: int = count) -> Ints:
        return np.full(size, value, dtype=np.int32)

    q = Quotient(
        weight=weight.astype(np.int32),
        first=first.astype(np.int32),
        near=near.astype(np.int32),
        elements=ints(0),
        count=np.diff(first).astype(np.int32),
        degree=ints(0),
        head=ints(-1, rows + 1),
        tail=ints(-1, rows + 1),
        after=ints(-1),
        before=ints(-1),
        one_with=ints(-1),
        last_one=np.arange(count, dtype=np.int32),
        bucket=ints(-1),
        next_like=ints(-1),
        hash=ints(0),
        member_from=ints(0, count + 1),
        size=ints(0),
        beyond=ints(0),
        seen=ints(-1),
        lives=ints(0),
        parent=ints(-1),
        rows=ints(0),
        order=ints(0),
        pivot_from=ints(0, count + 1),
    )
    fronts = _eliminate_all(q, count)
    found = q.order, q.pivot_from[: fronts + 1], q.parent[:fronts]
    return Elimination(*(places.astype(np.int64) for places in found))


@allocating_kernel
def _eliminate_all(q, count):
    """Eliminate all variables; how many elements that made."""
    member = np.empty(16 * count + 16, dtype=np.int32)
    for i in range(count):
        for n in range(q.first[i], q.first[i + 1]):
            q.degree[i] += q.weight[q.near[n]]
        _list_degree(q, i)
    new, least = 0, 0
    while q.pivot_from[new] < count:
        while q.head[least] < 0:
            least += 1
        p = q.head[least]
        _unlist_degree(q, p)
        while len(member) < q.member_from[new] + count:
            member = np.concatenate((member, np.empty_like(member)))
        _begin_element(q, member, new, p)
        _find_beyond(q, member, new)
        _shorten_lists(q, member, new, p)
        _merge_alike(q, member, new)
        least = min(least, _end_element(q, member, new, p))
        new += 1
    return new


@lean_inline
def _list_degree(q, i):
    d = q.degree[i]
    last = q.tail[d]
    q.before[i], q.after[i], q.tail[d] = last, -1, i
    if last >= 0:
        q.after[last] = i
    else:
        q.head[d] = i


@lean_inline
def _unlist_degree(q, i):
    after, before = q.after[i], q.before[i]
    if before >= 0:
        q.after[before] = after
    else:
        q.head[q.degree[i]] = after
    if after >= 0:
        q.before[after] = before
    else:
        q.tail[q.degree[i]] = before


@lean_inline
def _begin_element(q, member, new, p):
    """List and mark all that variable p touches; its elements become children of the new one."""
    at = q.member_from[new]
    q.rows[new] = q.weight[p]
    q.weight[p] = -q.weight[p]
    first = q.first[p]
    for n in range(first, first + q.count[p]):
        is_element = n < first + q.elements[p]
        e = q.near[n]
        if is_element:
            if q.lives[e] == 0:
                continue
            q.lives[e], q.parent[e] = 0, new
        begin = q.member_from[e] if is_element else n
        end = q.member_from[e + 1] if is_element else n + 1
        for m in range(begin, end):
            i = member[m] if is_element else q.near[m]
            if q.weight[i] > 0:
                q.weight[i] = -q.weight[i]
                member[at] = i
                at += 1
                _unlist_degree(q, i)
    q.member_from[new + 1] = at


@lean_inline
def _find_beyond(q, member, new):
    """Of all elements of the border: how many rows of theirs the new one does not touch."""
    for m in range(q.member_from[new], q.member_from[new + 1]):
        i = member[m]
        for n in range(q.first[i], q.first[i] + q.elements[i]):
            e = q.near[n]
            if q.lives[e] == 0:
                continue
            if q.seen[e] != new:
                q.seen[e] = new
                q.beyond[e] = q.size[e]
            q.beyond[e] += q.weight[i]


@lean_inline
def _shorten_lists(q, member, new, p):
    """Let the new element say all that it can, and bound degrees by what lies beyond it.

    A variable that touches nothing beyond it is eliminated at once.
    """
    for m in range(q.member_from[new], q.member_from[new + 1]):
        i = member[m]
        first = q.first[i]
        last, end = first + q.elements[i], first + q.count[i]
        at, degree, key = first, 0, 0
        for n in range(first, last):
            e = q.near[n]
            if q.lives[e] == 0:
                continue
            if q.beyond[e] == 0:
                q.lives[e], q.parent[e] = 0, new
                continue
            degree += q.beyond[e]
            key += e
            q.near[at] = e
            at += 1
        elements = at - first
        for n in range(last, end):
            k = q.near[n]
            if q.weight[k] > 0:
                degree += q.weight[k]
                key += k
                q.near[at] = k
                at += 1
        if degree == 0:
            q.rows[new] -= q.weight[i]
            q.weight[i] = 0
            q.one_with[q.last_one[p]] = i
            q.last_one[p] = q.last_one[i]
            continue
        # p or an element of p's stood in the list: there is room for one more
        q.near[at] = q.near[first + elements]
        q.near[first + elements] = q.near[first]
        q.near[first] = new
        q.elements[i], q.count[i] = elements + 1, at + 1 - first
        q.degree[i] = min(q.degree[i], degree)
        q.hash[i] = key % q.bucket.shape[0]


@lean_inline
def _is_alike(q, i, k):
    """Whether two variables of a border touch the same: entries of k are marked by −2 − k."""
    if q.count[i] != q.count[k] or q.elements[i] != q.elements[k]:
        return False
    for n in range(q.first[k], q.first[k] + q.count[k]):
        is_there = False
        is_element = n < q.first[k] + q.elements[k]
        begin = q.first[i] if is_element else q.first[i] + q.elements[i]
        end = q.first[i] + (q.elements[i] if is_element else q.count[i])
        for m in range(begin, end):
            if q.near[m] == q.near[n]:
                is_there = True
                break
        if not is_there:
            return False
    return True


@lean_inline
def _merge_alike(q, member, new):
    """Make one of those variables of the border that touch the same."""
    begin, end = q.member_from[new], q.member_from[new + 1]
    for m in range(begin, end):
        i = member[m]
        if q.weight[i] == 0:
            continue
        k = q.bucket[q.hash[i]]
        while k >= 0 and not _is_alike(q, i, k):
            k = q.next_like[k]
        if k < 0:
            q.next_like[i] = q.bucket[q.hash[i]]
            q.bucket[q.hash[i]] = i
            continue
        q.weight[k] += q.weight[i]
        q.weight[i] = 0
        q.one_with[q.last_one[k]] = i
        q.last_one[k] = q.last_one[i]
    for m in range(begin, end):
        q.bucket[q.hash[member[m]]] = -1


@lean_inline
def _end_element(q, member, new, p):
    """Take down pivots and border, and list new degrees; the least of these."""
    begin, end = q.member_from[new], q.member_from[new + 1]
    at, size = begin, 0
    for m in range(begin, end):
        i = member[m]
        if q.weight[i] < 0:
            q.weight[i] = -q.weight[i]
            size += q.weight[i]
            member[at] = i
            at += 1
    q.member_from[new + 1] = at
    q.size[new] = size
    least = q.head.shape[0] - 1
    for m in range(begin, at):
        i = member[m]
        q.degree[i] = min(q.degree[i] + size - q.weight[i], q.head.shape[0] - 1)
        least = min(least, q.degree[i])
        _list_degree(q, i)
    q.lives[new] = 1 if size > 0 else 0
    q.weight[p] = 0
    place = q.pivot_from[new]
    while p >= 0:
        q.order[place] = p
        place += 1
        p = q.one_with[p]
    q.pivot_from[new + 1] = place
    return least
