"""Properties of items by which tables group answers, read from the items once per process."""

from threading import Lock

import numpy as np
from django.db.models.fields.json import KeyTextTransform

from annotation.models import Instance

from .. import items as item
from ..conditions import ORDERS, drawn_order
from ..content.names import alike_name
from ..items import CAUSES, IDENTITY

CHUNK = 2_000


class Orders:
    """The drawn order of each item's two texts for each cause, by the keys of its rows. An item never changes."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.items = np.zeros(0, dtype=np.int64)
        self.orders = np.zeros((0, len(CAUSES)), dtype=np.int8)

    def of(self, wanted: np.ndarray, cause: str) -> np.ndarray:
        """The number of the order in `ORDERS` for each of these items."""
        with self.lock:
            missing = np.setdiff1d(wanted, self.items)
            if len(missing):
                self._read(missing)
            return self.orders[np.searchsorted(self.items, wanted), CAUSES.index(cause)]

    def _read(self, missing: np.ndarray) -> None:
        found = [each for start in range(0, len(missing), CHUNK) for each in _read(missing[start : start + CHUNK])]
        items = np.concatenate([self.items, np.array([pk for pk, _ in found], dtype=np.int64)])
        drawn = np.array([orders for _, orders in found], dtype=np.int8).reshape(-1, len(CAUSES))
        orders, sorting = np.concatenate([self.orders, drawn]), np.argsort(items)
        self.items, self.orders = items[sorting], orders[sorting]


def _read(keys: np.ndarray) -> list[tuple[int, list[int]]]:
    """The orders for each cause of these items."""
    names = [KeyTextTransform(name, "content") for name in IDENTITY]
    rows = Instance.objects.filter(pk__in=keys.tolist()).order_by().values_list("pk", *names)
    return [
        (pk, [ORDERS.index(drawn_order(item.identified(names), cause)) for cause in CAUSES]) for pk, *names in rows
    ]


_orders = Orders()


def drawn_orders(items: np.ndarray, cause: str) -> np.ndarray:
    """The number of the drawn order in `ORDERS` for each of these items, by the keys of their rows."""
    return _orders.of(items, cause)


def styles_of(subcategory: str) -> dict[str, str]:
    """The style of each evidence of an item, from the column of its row."""
    return dict(zip(item.KINDS, subcategory.split("/"), strict=False))


# --- Twins ----------------------------------------------------------------------------------------------------------


def twins_among(items: np.ndarray) -> np.ndarray:
    """The pairs of twins among these items, by the keys of their rows, shape (pairs, 2): items of one relation whose
    object and replaced object are exchanged. Of several, each is in one pair, in the order of their keys.
    """
    names = [KeyTextTransform(name, "content") for name in IDENTITY]
    by_roles: dict[tuple[str, str, str], list[int]] = {}
    for start in range(0, len(items), CHUNK):
        rows = Instance.objects.filter(pk__in=items[start : start + CHUNK].tolist()).order_by("pk")
        for pk, relation, _, its_object, replaced in rows.values_list("pk", *names):
            by_roles.setdefault((relation, alike_name(its_object), alike_name(replaced)), []).append(pk)
    pairs = [
        pair
        for (relation, its_object, replaced), keys in by_roles.items()
        if its_object < replaced
        for pair in zip(keys, by_roles.get((relation, replaced, its_object), ()), strict=False)
    ]
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


# --- Columns of items -----------------------------------------------------------------------------------------------


def columns_of(items: np.ndarray) -> dict[int, tuple[str, str]]:
    """The relation and the styles of the evidence of these items, by the keys of their rows."""
    found: dict[int, tuple[str, str]] = {}
    for start in range(0, len(items), CHUNK):
        rows = Instance.objects.filter(pk__in=items[start : start + CHUNK].tolist()).order_by()
        found |= {
            pk: (relation, styles) for pk, relation, styles in rows.values_list("pk", "category", "subcategory")
        }
    return found
