"""A copy of a JSON value with some of its parts changed, and of nothing that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[Any, str, bool], Any]

INTO: Final = object()
"""What a change answers for a part that it leaves alone but whose own parts it wants to see."""

DROP: Final = object()
"""What a change answers for a field of an object that is to go."""


def rewrite(
    root: dict[str, Any], change: Change, changed: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """`root` with every part that `change` answers something else for in its place.

    Without recursion, so of any depth; a value that holds itself is looked at once.

    :param change: is given a part, the name of the field it stands in, and whether it stands in a list there
        (or in a list of that list). It answers the part itself, another in its place, `INTO`, or `DROP`.
    :param changed: is given the copy of each object that differs, once all its parts are right.
    :returns: `root` itself where nothing changes. `root` and its parts are never changed.
    """
    top = _Place(None, "", root, "")
    waiting = [top]
    places = []
    while waiting:
        place = waiting.pop()
        places.append(place)
        in_list = not isinstance(place.value, dict)
        for at, part in enumerate(place.value) if in_list else place.value.items():
            field = place.field if in_list else str(at)
            new = change(part, field, in_list)
            if new is part:
                continue
            if new is INTO:
                if isinstance(part, dict | list | tuple) and part and not place.is_within(part):
                    waiting.append(_Place(place, at, part, field))
            elif new is DROP:
                del place.writable()[at]
            else:
                place.writable()[at] = new
    if changed is not None:
        for place in places:
            if isinstance(place.copy, dict):
                changed(place.copy)
    result: dict[str, Any] = root if top.copy is None else top.copy
    return result


class _Place:
    """An object or a list, where it stands, and its copy once there is one."""

    __slots__ = ("above", "at", "copy", "field", "value")

    def __init__(self, above: _Place | None, at: str | int, value: Any, field: str) -> None:
        self.above = above
        self.at = at
        self.value = value
        self.field = field
        self.copy: Any = None

    def is_within(self, value: Any) -> bool:
        """Whether this place is `value`, or a part of it."""
        place: _Place | None = self
        while place is not None:
            if place.value is value:
                return True
            place = place.above
        return False

    def writable(self) -> Any:
        """The copy, made now if need be, and put into the copies of all that it is a part of."""
        to_copy = []
        place: _Place | None = self
        while place is not None and place.copy is None:
            to_copy.append(place)
            place = place.above
        for place in reversed(to_copy):
            place.copy = dict(place.value) if isinstance(place.value, dict) else list(place.value)
            if place.above is not None:
                place.above.copy[place.at] = place.copy
        return self.copy
