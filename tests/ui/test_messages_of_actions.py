"""A message names what was done, and to what."""

from __future__ import annotations

from app.view.cells import width
from tests.factory import chain
from tests.ui.conftest import pi_session

MOST_MESSAGE = 77  # cells that fit on a screen of 80 columns, beside the mark

LONG = "right, and we do run two processes behind one address, which nobody had told me before"
HOSTILE = "\x1b[31mred\u202e and\n[bold]bold[/bold] " * 9


async def said(ui, *keys, message):
    """Press keys, and wait for the message, which is the newest one."""
    before = len(ui.toasts())
    await ui.press(*keys)
    await ui.until(lambda: message in ui.toasts()[before:], f"{message!r} in {ui.toasts()}")


async def undone_and_redone(ui, message):
    """Undo, redo and undo the last action."""
    await said(ui, "z", message=f"Undone: {message}")
    await said(ui, "Z", message=f"Redone: {message} (z to undo)")
    await said(ui, "z", message=f"Undone: {message}")


async def to_session(ui, id, tab=""):
    ui.sessions.go_to(str(ui.path(id)))
    await ui.settled()
    await ui.press(*tab)


async def test_a_label_is_named_with_its_entry(browser, tmp_path):
    pi_session(tmp_path, *chain(LONG, "done", id="long"), id="long")
    async with browser() as ui:
        await to_session(ui, "long")
        await ui.go_to_entry(LONG)
        label = 'Labelled "right, and we do run two…": try redis later (z to undo)'
        await said(ui, "L", *"try redis later", "enter", message=label)
        await ui.until(lambda: "◆ try redis later" in ui.text(), "the label")
        await said(ui, "L", "ctrl+u", "enter", message='Removed the label "try redis later" (z to undo)')
        await undone_and_redone(ui, 'removal of the label "try redis later"')
        await said(ui, "z", message='Undone: label "try redis later"')
        await said(ui, "Z", message='Redone: label "try redis later" (z to undo)')
        await ui.press("apostrophe")
        await ui.until(lambda: "right, and we do" in ui.text(), "the labels")
        again = 'Labelled "right, and we do run two…": try redis later now (z to undo)'
        await ui.press("down", "L")
        await said(ui, *" now", "enter", message=again)


async def test_a_name_is_named(browser, three):
    async with browser() as ui:
        await to_session(ui, "plain")
        await said(ui, "ctrl+r", *"Redis branch", "enter", message='Renamed to "Redis branch" (z to undo)')
        await undone_and_redone(ui, 'rename to "Redis branch"')
        await said(ui, "Z", message='Redone: rename to "Redis branch" (z to undo)')
        await ui.until(lambda: ui.sessions.row.name == "Redis branch", "the name")
        cleared = 'Cleared the name "Redis branch" (z to undo)'
        await said(ui, "ctrl+r", "ctrl+u", "enter", message=cleared)
        await undone_and_redone(ui, 'removal of the name "Redis branch"')


async def test_tags_and_a_note_are_named_with_their_session(browser, three):
    async with browser() as ui:
        await to_session(ui, "plain", ["number_sign"])
        await ui.until(lambda: ui.is_in("Tags"), "the dialog")
        ui.app.focused.value = "#client-x urgent"
        tagged = 'Tagged "write a man page": +client-x +urgent (z to undo)'
        await said(ui, "tab", *"ask Ada", "enter", message=tagged)
        noted = 'Saved tags and note of "write a man page": ask Ada (z to undo)'
        await ui.until(lambda: noted in ui.toasts(), "the note")
        await undone_and_redone(ui, 'note of "write a man page"')
        await said(ui, "z", message='Undone: tags +client-x +urgent of "write a man page"')
        await ui.press("asterisk", "number_sign")
        await ui.until(lambda: ui.is_in("Tags"), "the dialog")
        await said(ui, *"both", "enter", message="Tagged 3 sessions: +both (z to undo)")
        await undone_and_redone(ui, "tags +both of 3 sessions")


async def test_a_pin_a_fork_and_the_trash_name_the_session(browser, three):
    async with browser() as ui:
        await to_session(ui, "plain")
        title = '"write a man page"'
        await said(ui, "p", message=f"Pinned {title} (z to undo)")
        await ui.until(lambda: ("pi", "plain") in ui.screen.model.pins, "the pin")
        await said(ui, "p", message=f"Unpinned {title} (z to undo)")
        await undone_and_redone(ui, f"unpin of {title}")
        await said(ui, "z", message=f"Undone: pin of {title}")
        await to_session(ui, "plain")
        await said(ui, "f", message=f"Forked {title} (z to undo)")
        await undone_and_redone(ui, f"fork of {title}")
        await to_session(ui, "plain")
        await said(ui, "ctrl+d", "enter", message=f"Trashed {title} (z to undo)")
        await said(ui, "z", message=f"Undone: trash of {title}")


async def test_a_copy_names_the_session_and_an_export_the_file(browser, three):
    async with browser() as ui:
        await to_session(ui, "plain")
        await said(ui, "y", "y", message='Copied the id of "write a man page"')
        await said(ui, "Y", message='Copied the path of "write a man page"')
        await said(ui, "ctrl+y", message='Copied the command of "write a man page"')
        await ui.press("x")
        await ui.until(lambda: ui.is_in("Export"), "the dialog")
        ui.screen.query_one("#export-path").value = str(three / "home" / "page.html")
        await ui.press("enter")
        exported = "Exported to ~/page.html, "
        await ui.until(lambda: ui.toasts()[-1].startswith(exported), f"the message in {ui.toasts()}")
        assert ui.toasts()[-1].endswith(" kB (E to open); 0 secrets replaced")


async def test_long_and_hostile_texts_leave_room_and_are_inert(browser, tmp_path):
    pi_session(tmp_path, *chain(HOSTILE, "done", id="odd"), id="odd")
    async with browser(size=(80, 24)) as ui:
        await to_session(ui, "odd", ["p"])
        await ui.until(lambda: any("Pinned" in toast for toast in ui.toasts()), "the pin")
        await ui.press("number_sign")
        await ui.until(lambda: ui.is_in("Tags"), "the dialog")
        ui.app.focused.value = " ".join(f"a-rather-long-tag-{number}" for number in range(9))
        await ui.press("tab")
        ui.app.focused.value = "note" * 30
        await ui.press("enter")
        await ui.until(lambda: any("Saved tags and note" in toast for toast in ui.toasts()), "the note")
        await ui.press("ctrl+r")
        ui.app.focused.value = "name" * 25
        await ui.press("enter")
        await ui.until(lambda: any("Renamed" in toast for toast in ui.toasts()), "the name")
        await ui.press("t", "home", "L")
        ui.app.focused.value = "label " * 13
        await ui.press("enter")
        await ui.until(lambda: any("Labelled" in toast for toast in ui.toasts()), "the label")
        for number in range(5):
            before = len(ui.toasts())
            await ui.press("z")
            await ui.until(lambda before=before: len(ui.toasts()) > before, f"the undo {number}")
        toasts = ui.toasts()
    assert len(toasts) == 10
    for toast in toasts:
        assert width(toast) <= MOST_MESSAGE, toast
        assert toast.endswith("(z to undo)") or toast.startswith("Undone: "), toast
        assert "\x1b" not in toast
        assert "\u202e" not in toast
        assert "\n" not in toast
