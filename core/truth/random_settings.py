"""Settings drawn from the range of their sliders."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..settings import tunables

Random = np.random.Generator


def random_settings(random: Random, kind: type, /, **fixed: Any) -> Any:
    """Settings of which about half are drawn from the range of their slider."""
    chosen: dict[str, Any] = {}
    for name, (default, about) in tunables(kind).items():
        if name in fixed or random.random() < 0.4:
            continue
        if about.choices:
            chosen[name] = str(random.choice([identifier for identifier, _, _ in about.choices]))
        elif isinstance(default, bool):
            chosen[name] = bool(random.random() < 0.5)
        else:
            low = about.minimum if about.soft_minimum is None else about.soft_minimum
            high = about.maximum if about.soft_maximum is None else about.soft_maximum
            assert low is not None, name
            assert high is not None, name
            if isinstance(default, tuple):
                chosen[name] = tuple(random.uniform(low, high, len(default)))
            elif isinstance(default, int):
                chosen[name] = int(random.integers(int(low), int(high) + 1))
            else:
                chosen[name] = float(low if random.random() < 0.1 else random.uniform(low, high))
    return kind(**(chosen | fixed))
