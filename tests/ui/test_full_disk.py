"""Where leafmark cannot write down what it remembers by itself, one line says so and nothing stops."""

from __future__ import annotations

import errno
import json
import os

from app import places
from app.actions.journal import Journal

FULL = os.strerror(errno.ENOSPC)


def full(*_):
    # of a descriptor the system names no path
    raise OSError(errno.ENOSPC, FULL)


async def test_what_is_done_without_a_journal_says_where_there_is_no_room(
    browser, three, tmp_path, monkeypatch
):
    monkeypatch.setattr(Journal, "_append", full)
    async with browser() as it:
        path = it.path("branchy")
        await it.press("ctrl+r", *"QQ", "enter")
        await it.until(lambda: len(it.toasts()) == 2, "the words")
        said = f"the journal cannot be written: {tmp_path / 'state'}: {FULL}"
        assert set(it.toasts()) == {said, "Named – z takes it back"}
        assert json.loads(path.read_text().splitlines()[-1])["name"] == "Refactor authQQ"
        # this run knows of it all the same
        await it.press("z")
        await it.until(lambda: len(it.toasts()) > 2, "the name of before")
        assert json.loads(path.read_text().splitlines()[-1])["name"] == "Refactor auth"


async def test_what_is_not_remembered_says_where_there_is_no_room(browser, three, tmp_path, monkeypatch):
    def full_beside(path, *_):
        raise OSError(errno.ENOSPC, FULL, f"{path}.aside")

    monkeypatch.setattr(places, "write_whole", full_beside)
    async with browser() as it:
        await it.press("d")
        await it.until(it.toasts, "the word")
        assert it.toasts() == [f"This is not remembered: {tmp_path / 'state'}: {FULL}"]
        it.app.action_toggle_theme()
        await it.until(lambda: len(it.toasts()) == 2, "the other word")
        assert it.toasts()[1] == f"The theme is not remembered: {tmp_path / 'state'}: {FULL}"
