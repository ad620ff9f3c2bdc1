"""The transcript of a session of the list in the user's editor or pager."""

from __future__ import annotations

import stat
import sys
from contextlib import nullcontext
from pathlib import Path
from threading import Event

import pytest

from app.export import exporter
from tests.factory import append, chain, entry
from tests.ui.conftest import WAYS, pi_session, snapshot

COPY = """#!{python}
import shutil, sys
shutil.copy(sys.argv[-1], {to!r})
open({to!r} + ".name", "w").write(sys.argv[-1])
"""


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """The copy that the user's editor and pager get."""
    monkeypatch.setattr("textual.app.App.suspend", lambda self: nullcontext())
    program = tmp_path / "bin/program"
    program.parent.mkdir(exist_ok=True)
    program.write_text(COPY.format(python=sys.executable, to=str(tmp_path / "shown")))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return tmp_path / "shown"


def copied_path(shown):
    """The path that the program got."""
    return Path(Path(f"{shown}.name").read_text())


def file_exists(path):
    return path.exists()


PROGRAMS = {"EDITOR": "program", "PAGER": "program"}


@pytest.mark.parametrize("way", WAYS)
async def test_the_editor_gets_the_transcript_as_markdown(browser, tmp_path, shown, way):
    token = "ghp_" + "a1B2" * 9
    pi_session(tmp_path, *chain("fix it", f"with **{token}**", id="s"), id="s")
    async with browser(env=PROGRAMS, **way) as ui:
        before = snapshot(tmp_path / "home")
        await ui.press(*(["shift+tab"] if way else []), "e")
        await ui.until(lambda: Path(f"{shown}.name").exists(), "the editor")
        text = shown.read_text()
        assert "\n> fix it\n" in text
        assert f"with **{token}**" in text, "what stays on this machine is not redacted"
        path = copied_path(shown)
        assert (path.name, file_exists(path)) == ("transcript.md", False)
        assert snapshot(tmp_path / "home") == before
        assert ui.toasts() == []


async def test_the_clipboard_gets_the_conversation_without_secrets(browser, tmp_path, monkeypatch):
    token = "ghp_" + "a1B2" * 9
    pi_session(tmp_path, *chain("fix it", f"with **{token}**", id="s"), id="s")
    async with browser() as ui:
        copied = []
        monkeypatch.setattr(ui.app, "copy_to_clipboard", copied.append)
        await ui.press("colon", *"markdown", "enter")
        await ui.until(lambda: "1 secret replaced" in ui.text(), "the message")
        assert "Copied the conversation as Markdown" in ui.text()
    (text,) = copied
    assert "\n> fix it\n" in text
    assert "with **[redacted: GitHub token]**" in text.replace("\\", "")
    assert token not in text


async def test_the_clipboard_gets_the_turns_with_a_label(browser, tmp_path, monkeypatch):
    lines = chain("fix it", "done", "test it", "tested", "thanks", "welcome", id="s")
    path = pi_session(tmp_path, *lines, id="s")
    async with browser() as ui:
        copied = []
        monkeypatch.setattr(ui.app, "copy_to_clipboard", copied.append)
        await ui.press("y", "t")
        await ui.until(lambda: "No entry of this session has a label" in ui.text(), "why nothing is copied")
        append(path, entry("label", "l", lines[-1]["id"], 99, targetId=lines[4]["id"], label="result"))
        await ui.until(lambda: ui.sessions.row.labels, "the label")
        await ui.press("y", "t")
        await ui.until(lambda: copied, "the copy")
        assert "Copied the turns with a label as Markdown" in ui.text()
    prompts = [line for line in copied[0].splitlines() if line.startswith("> ")]
    assert prompts == ["> test it"]
    assert "tested" in copied[0]


async def test_a_session_that_is_being_read_is_said_and_escape_drops_it(
    browser, tmp_path, shown, monkeypatch
):
    pi_session(tmp_path, *chain("fix it", "red\u202eder", id="s"), id="s")
    may_go_on, real = Event(), exporter.open_export

    def wait(*arguments, **more):
        may_go_on.wait()
        return real(*arguments, **more)

    monkeypatch.setattr(exporter, "open_export", wait)
    async with browser(env=PROGRAMS) as ui:
        await ui.press("e")
        await ui.until(lambda: "Reading… Esc cancels" in ui.text(), "the note")
        await ui.press("escape")
        assert "Reading…" not in ui.text()
        may_go_on.set()
        await ui.press("vertical_line")
        await ui.until(lambda: Path(f"{shown}.name").exists(), "the pager")
        assert "red\ufffdder" in shown.read_text(), (
            "only the second request is answered, and its text is inert"
        )
        assert ui.focus == "sessions"
