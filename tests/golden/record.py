"""Record the golden tests anew: `python -m tests.golden.record [PART...]`; without a part, all of `PARTS`."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.golden.changes import CHANGES
from tests.golden.commands import ANYWHERE, DEMO, REAL, SMALL
from tests.golden.contexts import CONTEXTS
from tests.golden.screens import SIZES, TOURS
from tests.golden.state import KEYS, MADE_BY, READ_BY, kept, put_back
from tests.golden.world import REAL as REAL_FOLDER
from tests.golden.world import World, world

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.terminal import Terminal

RECORDED = Path(__file__).parent / "recorded"
_CUT_FOLDER = re.compile(r"(…(?:[a-z-]*-)?)([0-9a-f]{1,8})(?=/below-a-folder)")
QUIET = 1.0
"""Seconds without output after which a screen that is recorded counts as finished."""


def load(part: str) -> Any:
    """What is recorded of a part."""
    return json.loads((RECORDED / f"{part}.json").read_text("utf-8"))


def save(part: str, value: Any) -> None:
    """Record a part."""
    RECORDED.mkdir(exist_ok=True)
    text = json.dumps(value, ensure_ascii=False, indent=1)
    (RECORDED / f"{part}.json").write_text(text + "\n", "utf-8")


def outputs(kind: str, commands: Sequence[Sequence[str]]) -> list[list[Any]]:
    """The output of each command, run one after the other in one world: [words, code, out, err]."""
    found = []
    with world(kind) as there:
        for words in commands:
            paths = [str(there.root / word) if word.startswith("home/") else word for word in words]
            found.append([list(words), *there.run(*paths)])
    return found


def digests() -> list[list[Any]]:
    """As `outputs` of the real sessions, with a digest in the place of each output."""
    return [
        [words, code, *(hashlib.sha256(text.encode()).hexdigest() for text in (out, err))]
        for words, code, out, err in outputs("real", REAL)
    ]


def change(name: str) -> list[Any]:
    """What the commands of a change print and write, and the same of each undo."""
    steps: list[Any] = []
    with world("small") as there:
        before = _contents(there)
        for words in [*CHANGES[name], *[["undo"]] * 3]:
            output = there.run(*words)
            now = _contents(there)
            steps.append([list(words), *output, _difference(there, before, now)])
            before = now
            if words == ["undo"] and output.code:
                break
    return steps


def _contents(there: World) -> dict[str, bytes]:
    return {str(path.relative_to(there.root)): path.read_bytes() for path in there.sessions}


def _difference(there: World, before: dict[str, bytes], now: dict[str, bytes]) -> dict[str, str]:
    """Path -> what became of the file: gone, appended text, or the whole new text."""
    found = {}
    for path in sorted(before.keys() | now.keys()):
        if before.get(path) == now.get(path):
            continue
        if path not in now:
            text = "gone"
        elif path in before and now[path].startswith(before[path]):
            text = "+ " + now[path][len(before[path]) :].decode("utf-8", "replace")
        else:
            text = "= " + now[path].decode("utf-8", "replace")
        found[there.same(path)] = there.same(text)
    return found


def start(there: World, name: str, size: tuple[int, int]) -> Terminal:
    """The screen of a tour before its first key."""
    return there.terminal(*TOURS[name].words, size=size)


def picture(there: World, terminal: Terminal) -> list[str]:
    """The text of the screen, without the blanks at the ends of its lines.

    Digits of the world's own folder, which differ between runs, stand at the beginning of a path that is cut.
    """
    text = _CUT_FOLDER.sub(lambda cut: cut[1] + "0" * len(cut[2]), there.same("\n".join(terminal.lines)))
    return [line.rstrip() for line in text.split("\n")]


def screen(name: str, size: tuple[int, int]) -> list[list[str]]:
    """The pictures of a tour: before its first key, and after its last."""
    with world("small") as there, start(there, name, size) as terminal:
        terminal.settle(QUIET * 2)
        pictures = [picture(there, terminal)]
        for key in TOURS[name].keys:
            terminal.press(key)
            terminal.settle(0.3)
        if TOURS[name].keys:
            time.sleep(QUIET)
            terminal.settle(QUIET)
            pictures.append(picture(there, terminal))
        return pictures


def screens() -> dict[str, list[list[str]]]:
    """The pictures of all tours, by name and size; four at a time, because each mostly waits."""
    wanted = [(name, size) for name in TOURS for size in SIZES]
    with ProcessPoolExecutor(4) as pool:
        found = pool.map(screen, *zip(*wanted, strict=True))
        return {
            f"{name} at {size[0]}x{size[1]}": pictures
            for (name, size), pictures in zip(wanted, found, strict=True)
        }


def state() -> dict[str, Any]:
    """The files that the version before left, and what this one reads from them. Files that were recorded are
    kept: delete `state.json` to record those of this version.
    """
    is_recorded = (RECORDED / "state.json").exists()
    files = load("state")["files"] if is_recorded else files_left()
    return {"files": files, "read": read_state(files)}


def files_left() -> list[dict[str, Any]]:
    """The files that this version leaves."""
    with world("small") as there:
        there.run("list")
        with there.terminal(size=(120, 40)) as terminal:
            terminal.settle(QUIET)
            for key in KEYS:
                terminal.press(key)
                terminal.settle(0.3)
            terminal.wait()
        for words in MADE_BY:
            output = there.run(*words)
            assert output.code == 0, output
        return kept(there)


def read_state(files: list[dict[str, Any]]) -> dict[str, Any]:
    """The output of `READ_BY` and the first screen, in a world with these files."""
    with world("empty") as there:
        put_back(files, there.root)
        there.learn_ids()
        with there.terminal(size=(120, 40)) as terminal:
            terminal.settle(QUIET)
            first = picture(there, terminal)
        return {"screen": first, "commands": [[words, *there.run(*words)] for words in READ_BY]}


PARTS = {
    "anywhere": lambda: outputs("empty", ANYWHERE),
    "demo": lambda: outputs("empty", DEMO),
    "small": lambda: outputs("small", SMALL),
    "contexts": lambda: outputs("contexts", CONTEXTS),
    "real": digests,
    "changes": lambda: {name: change(name) for name in CHANGES},
    "screens": screens,
    "state": state,
    "library": lambda: import_module("tests.golden.test_library").signatures(),
}


if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        if part == "real" and not REAL_FOLDER.is_dir():
            sys.exit(f"the real sessions are not there: {REAL_FOLDER}")
        save(part, PARTS[part]())
