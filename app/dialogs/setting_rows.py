"""The rows of the settings screen: each setting with its value and its choices."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from app.formats.text import one_line
from app.settings import SETTINGS, Setting
from app.view.cells import pad, shorten
from app.view.line import Line

_NAME_CELLS = 18
_VALUE_CELLS = 16


class SettingRow(NamedTuple):
    """A setting, or a part of one.

    name      its name in the file, such as ``images`` or ``stores.pi``
    setting   the setting
    value     its value as TOML; "" if the file does not set it
    shown     its value in words
    typed     the value as a line of text that can be edited; None if the value is chosen
    """

    name: str
    setting: Setting
    value: str
    shown: str
    typed: str | None = None

    @property
    def next_value(self) -> str:
        """The choice after the present one, as TOML."""
        choices = self.setting.choices
        now = self.value if self.value in choices else choices[0]
        return choices[(choices.index(now) + 1) % len(choices)]


def setting_rows(values: Mapping[str, Any], agents: Iterable[str]) -> list[SettingRow]:
    """A row for each setting; for stores, a row for each agent.

    :param values: the values in the file (`app.settings_writer.read_values`).
    """
    rows = []
    for setting in SETTINGS:
        value = values.get(setting.name)
        if setting.choices:
            spelled = "" if value is None else _spelled(value)
            first = setting.choices[0]
            rows.append(SettingRow(setting.name, setting, spelled, _word(spelled or first, setting)))
        elif setting.name == "stores":
            tables = value if isinstance(value, dict) else {}
            rows += [_store_row(setting, agent, tables.get(agent)) for agent in agents]
        elif setting.name == "arguments":
            tables = value if isinstance(value, dict) else {}
            rows += [_command_row(f"arguments.{agent}", setting, tables.get(agent)) for agent in agents]
        elif setting.name == "keys":
            changed = _count(value)
            rows.append(SettingRow("keys", setting, "", f"{changed} changed" if changed else "none changed"))
        else:
            rows.append(_command_row(setting.name, setting, value))
    return rows


def _command_row(name: str, setting: Setting, value: object) -> SettingRow:
    """The row of a setting that is typed in words."""
    words = shlex.join(value) if isinstance(value, list) and all(map(_is_text, value)) else value
    typed = words if isinstance(words, str) else ""
    return SettingRow(name, setting, json.dumps(typed), typed or "none", typed)


def typed_value(row: SettingRow, text: str) -> str:
    """The value as TOML for a text that a user typed; "" for none."""
    if not text.strip():
        return ""
    if row.setting.name == "stores":
        return json.dumps([folder.strip() for folder in text.split(",") if folder.strip()])
    return json.dumps(text.strip())


def setting_line(row: SettingRow, cells: int, problem: bool) -> Line:
    """A row in at most `cells` cells.

    :param problem: the value is wrong.
    """
    style = "error" if problem else "strong" if row.value and row.value != '""' else "text"
    name = pad(shorten(row.name, _NAME_CELLS), _NAME_CELLS)
    if cells < 3 * _NAME_CELLS:
        return [(name, "text"), ("  ", "text"), (shorten(row.shown, max(1, cells - _NAME_CELLS - 2)), style)]
    choices = ", ".join(_word(choice, row.setting) for choice in row.setting.choices)
    room = cells - _NAME_CELLS - _VALUE_CELLS - 4
    shown = row.shown if choices else shorten(row.shown, room + _VALUE_CELLS)
    line: Line = [(name, "text"), ("  ", "text"), (pad(shown, _VALUE_CELLS), style), ("  ", "text")]
    return [*line, (shorten(choices, room), "dim")] if choices else line[:-1]


def _store_row(setting: Setting, agent: str, folders: object) -> SettingRow:
    listed = [folders] if isinstance(folders, str) else folders
    known = (
        [one_line(folder, 500) for folder in listed if _is_text(folder)] if isinstance(listed, list) else []
    )
    typed = ", ".join(known)
    return SettingRow(f"stores.{agent}", setting, json.dumps(known) if known else "", typed or "none", typed)


def _spelled(value: object) -> str:
    """A value as TOML, or something like it for a value that is none of the choices."""
    try:
        return json.dumps(value, default=str)  # JSON has no dates
    except ValueError:
        return "a number of too many digits"


def _word(spelled: str, setting: Setting) -> str:
    """A value of TOML in words."""
    unset = "by locale" if setting.name == "ascii" else "as it was left"
    return {"": unset, "true": "yes", "false": "no"}.get(spelled, spelled.strip('"'))


def _count(table: object) -> int:
    """The number of values in a table and the tables in it."""
    if isinstance(table, dict):
        return sum(map(_count, table.values()))
    return int(table is not None)


def _is_text(value: object) -> bool:
    return isinstance(value, str)
