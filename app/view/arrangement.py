"""The arrangement of the session list: which sessions are shown, in which order and in how many lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from app.index.sorting import BEST, RECENT, SORTS
from app.view.geometry import USUAL, Sizes, initial_sizes, saved_sizes
from app.view.preset import BROWSER, Preset
from app.view.recent_queries import LONGEST

SCOPES = ("all", "here")
VIEWS = ("transcript", "tree")
"""The views beside the list: the transcript alone, or the tree as well."""
ORDERS = ("threaded", *SORTS)


def order_words(order: str) -> str:
    """An order of the list, as it is shown."""
    return "by thread" if order == ORDERS[0] else order


_LOOKS = ("roomy", "paths")
"""The fields that are saved for the next run of browser and selector."""
_FOLDER, _SESSION, _QUERY = "last-folder", "last-session", "last-query"


class SessionSet(NamedTuple):
    """Sessions that were chosen together, as those of a figure. The name is inert."""

    name: str
    paths: frozenset[str]


class Arrangement(NamedTuple):
    """One way to show the sessions. It is immutable; `changed` makes another.

    scope         ``all`` folders, or ``here``: only sessions of this folder
    order         ``threaded``: forks under their parents, the threads by their newest activity, and with a
                  query the best match first; others of `index.sorting.SORTS`: by a field of the session
    grouped       by project under heads that fold, if a project has an order (see `has_groups`); else one
                  list of all projects
    needs         only what needs the user, from all folders, in the sections of `app.view.needs`
    named_only    only sessions that a user gave a name; a blank name does not count
    agent         only sessions of this agent; "" for all
    only          only these sessions, sub-agents and empty ones as well; None for all
    hidden        sub-agent sessions and empty ones are shown as well
    pinned_first  pinned sessions come first in each group, or in the whole list without groups, with their
                  threads. Pins do not change the order of a search.
    roomy         a second line for each session, with its last prompt
    paths         a second line for each session, with the path of its file and nothing else
    sizes         the second line with the last prompt has the size of the file if there is room
    panes         the sizes of the panes of the browser
    """

    scope: str = "all"
    order: str = "threaded"
    grouped: bool = True
    needs: bool = False
    named_only: bool = False
    agent: str = ""
    only: SessionSet | None = None
    hidden: bool = False
    pinned_first: bool = True
    roomy: bool = False
    paths: bool = False
    sizes: bool = False
    panes: Sizes = USUAL

    def changed(self, **fields: Any) -> Arrangement:
        """Another arrangement, with these fields. TypeError for a field that does not exist."""
        return Arrangement(**self._asdict() | fields)

    def lists_like(self, other: Arrangement) -> bool:
        """Whether both list the same sessions in the same order; their looks may differ."""
        same_look = self._replace(roomy=other.roomy, paths=other.paths, sizes=other.sizes, panes=other.panes)
        return same_look == other

    @property
    def is_by_field(self) -> bool:
        """Whether a field of the session other than its last use decides the order."""
        return self.order in SORTS and self.order != RECENT

    @property
    def has_groups(self) -> bool:
        """Whether the list has heads of projects, or of sections if it has what needs the user. The dearest
        session comes first whatever its project.
        """
        return self.needs or (self.grouped and not self.is_by_field)

    @property
    def is_of_this_folder(self) -> bool:
        """Whether only sessions of this folder are shown."""
        return self.scope == "here" and not self.needs

    @property
    def row_height(self) -> int:
        """Lines per row."""
        return 2 if self.roomy or self.paths or self.needs else 1

    @property
    def narrows(self) -> bool:
        """Whether it excludes sessions that count as sessions of the scope."""
        return self.named_only or bool(self.agent) or self.only is not None or self.needs

    @property
    def search_order(self) -> str:
        """The order of a search."""
        return BEST if self.order == ORDERS[0] else self.order

    def titles(self, name: str = "Sessions", *, searches: bool = False) -> tuple[str, ...]:
        """The title in the rule above the list, in several lengths, the longest first
        (`app.view.cells.first_fitting`).

        Conditions that exclude sessions come first, then other settings that differ from the defaults.
        Shorter titles leave out words from the end. The default scope and order are given if there is room.

        :param name: the first word.
        :param searches: there is a query.
        """
        special = [self.only.name] if self.only is not None else []
        special += ["needs you"] if self.needs else []
        special += ["named only"] if self.named_only else []
        special += filter(None, [self.agent])
        special += ["this folder"] if self.is_of_this_folder else []
        special += [self.order] if self.order != ORDERS[0] else []
        special += ["+ hidden"] if self.hidden else []
        usual = ["all folders"] if not self.is_of_this_folder else []
        usual += ["best first" if searches else order_words(self.order)] if self.order == ORDERS[0] else []
        required = [name, *special]
        titles = [[*required, *usual[:number]] for number in range(len(usual), -1, -1)]
        return tuple(" · ".join(words) for words in [*titles, special or required])


def cycle_field(arrangement: Arrangement, field: str, agents: Sequence[str]) -> Arrangement:
    """The arrangement with the next value of one field; the first value follows the last.

    :param field: its name.
    :param agents: the values of ``agent``; all agents follow the last.
    """
    if field == "scope":
        values: Sequence[Any] = SCOPES
    elif field == "order":
        values = ORDERS
    elif field == "agent":
        values = ("", *agents)
    else:
        values = (False, True)
    value = getattr(arrangement, field)
    position = values.index(value) if value in values else -1
    return arrangement.changed(**{field: values[(position + 1) % len(values)]})


def saved_fields(arrangement: Arrangement, preset: Preset = BROWSER) -> dict[str, str]:
    """The fields that the next run begins with, for `app.paths.write_screen`; `initial` reads them.

    :param preset: the selector lists its sessions as pi does in each run.
    """
    names = (*_LOOKS, "grouped") if preset is BROWSER else _LOOKS
    saved = {name: "yes" if getattr(arrangement, name) else "no" for name in names}
    if preset is BROWSER:
        saved |= {"scope": arrangement.scope, "order": arrangement.order}
    return saved | saved_sizes(arrangement.panes)


def _saved_list(last: Mapping[str, str]) -> dict[str, Any]:
    """How the browser listed the sessions in the last run, as far as that is known."""
    fields: dict[str, Any] = {}
    if last.get("scope") in SCOPES:
        fields["scope"] = last["scope"]
    if last.get("order") in ORDERS:
        fields["order"] = last["order"]
    if "grouped" in last:
        fields["grouped"] = last["grouped"] == "yes"
    return fields


class Place(NamedTuple):
    """The place of the browser: the path of the session under its cursor, and its query; "" for none."""

    session: str = ""
    query: str = ""


def saved_place(folder: str, place: Place) -> dict[str, str]:
    """The values with which the next run in a folder begins at a place; `last_place` reads them."""
    is_storable = len(place.query) <= LONGEST and not {"\n", "\r"} & {*place.session, *place.query, *folder}
    session, query = place if is_storable else Place()
    return {_FOLDER: folder if is_storable else "", _SESSION: session, _QUERY: query}


def last_place(last: Mapping[str, str], folder: str) -> Place:
    """The place at which the last run ended, if that was in the same folder."""
    if not folder or last.get(_FOLDER) != folder:
        return Place()
    return Place(last.get(_SESSION, ""), last.get(_QUERY, "")[:LONGEST])


def initial(
    last: Mapping[str, str],
    preset: Preset = BROWSER,
    *,
    sizes: bool = False,
    wanted: Mapping[str, Any] | None = None,
) -> Arrangement:
    """The arrangement that a run begins with.

    :param last: the fields saved by the last run (`app.paths.read_screen`).
    :param sizes: the setting `show_size`.
    :param wanted: fields and the view that the settings give the browser, whatever the last run had. The
        selector begins as pi does.
    """
    first = Arrangement(scope=preset.scope, grouped=preset.grouped, sizes=sizes, panes=initial_sizes(last))
    if preset is BROWSER:
        fields = _saved_list(last) | dict(wanted or {})
        view = fields.pop("view", "")
        if view:
            hidden = () if view == "tree" else USUAL.hidden
            fields["panes"] = first.panes._replace(hidden=hidden)
        first = first.changed(**fields)
    return first.changed(**{name: last.get(name) == "yes" for name in _LOOKS})
