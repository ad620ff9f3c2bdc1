"""The real pi and oh-my-pi open the session files that are exported for them, and see what leafmark sees."""

from __future__ import annotations

import base64
import itertools
from pathlib import Path

import pytest
from leafmark import SessionManager

from app.export import Choice, Surroundings, open_export
from app.redact import Personal, Redactor
from tests.factory import NOW
from tests.interop.programs import Program, assistant, tool_result, user
from tests.interop.views import differences, of_manager, of_program

IMAGE = base64.b64encode(bytes(range(256)) * 8).decode()
FOREIGN = """\
{"type":"session","id":"a3f7c901","version":1,"timestamp":"2026-02-26T14:30:12Z","cwd":"/work"}
{"type":"message","id":"m1","timestamp":"2026-02-26T14:30:13Z","role":"user",\
"message":{"role":"user","content":[{"type":"text","text":"hello"}]}}
{"type":"message","id":"m2","parent_id":"m1","timestamp":"2026-02-26T14:30:14Z","role":"assistant",\
"message":{"role":"assistant","content":[{"type":"text","text":"hello yourself"}],"stop_reason":"stop"}}
"""


def written(agent: str, folder: Path) -> tuple[Path, dict[str, str]]:
    """Write a session with two branches, a label, a name, a model and an image, as its agent would."""
    env = {"HOME": str(folder), "TMPDIR": str(folder / "tmp")}
    if agent == "agent":
        path = folder / "20260226-143012-a3f7c901.jsonl"
        path.write_text(FOREIGN)
        return path, env
    manager = SessionManager.create(folder / "work", agent=agent, env=env)
    first = manager.append_message(user("read /home/alice/app"))
    manager.append_model_change("acme", "large-1")
    middle = manager.append_message(assistant("I read it.", "c1"))
    manager.append_message(tool_result("c1", "text of the file"))
    manager.append_message(assistant("hello"))
    manager.append_label_change(first, "start")
    manager.branch(middle)
    manager.append_message(tool_result("c1", "another text"))
    message = user("look")
    message["content"].append({"type": "image", "mimeType": "image/png", "data": IMAGE})
    manager.append_message(message)
    manager.append_message(assistant("I look."))
    manager.append_session_info("Named")
    return Path(manager.session_file or ""), env


@pytest.mark.parametrize(("source", "target"), list(itertools.product(["pi", "omp", "agent"], ["pi", "omp"])))
@pytest.mark.parametrize("all_branches", [False, True], ids=["path", "tree"])
@pytest.mark.parametrize("is_redacted", [False, True], ids=["whole", "redacted"])
def test_an_exported_session_opens_in_its_agent(
    source: str,
    target: str,
    all_branches: bool,
    is_redacted: bool,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    program: Program = request.getfixturevalue(target)
    path, env = written(source, tmp_path)
    redactor = Redactor(Personal("/home/alice", ["alice"])) if is_redacted else None
    around = Surroundings([], env, env["HOME"], NOW)
    export = open_export(
        str(path),
        (source,),
        "jsonl",
        Choice(all_branches=all_branches),
        around,
        redactor=redactor,
        target=target,
    )
    file = tmp_path / "exported.jsonl"
    file.write_bytes(b"".join(export.pieces))
    # Nothing outside of the file is needed.
    path.unlink()
    theirs = program.make("open", str(file))
    ours = SessionManager.open(file, env={"HOME": str(program.home)}, agents=(target,), new=False)
    found = of_program(theirs.state())
    assert differences(found, of_manager(ours, target)) == []
    assert ours.problems == []
    texts = str(found.entries)
    assert ("hello" in texts) == (all_branches or source == "agent")
    if source != "agent":
        assert found.labels == {0: "start"}
        assert ours.session_name == "Named"
        assert (IMAGE in texts) == (not is_redacted)
        assert ("/home/alice" in texts) == (not is_redacted)
    theirs.forget()
