"""Which sessions are hidden as empty: those without an answer, a name and a prompt, as in oh-my-pi 18.3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leafmark import Index, Store

from app.stores import agent_named
from app.view import ListModel
from tests.cases import cases
from tests.factory import entry, header, write_session

if TYPE_CHECKING:
    from pathlib import Path

IMAGE = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
SHELL = {"role": "bashExecution", "command": "ls", "output": "a.py", "exitCode": 0}
CALL = {"type": "toolCall", "id": "call", "name": "bash", "arguments": {"command": "ls"}}


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    """The only message of a session."""
    return entry("message", "00000001", None, message={"role": role, "content": content, **more})


@cases(
    ("agent", "title", "lines", "is_listed"),
    [
        ("omp", "", [], False),
        ("omp", "a plan", [], True),
        ("omp", "", [said("user", "")], False),
        ("omp", "", [said("user", [{"type": "text", "text": " "}])], False),
        ("omp", "", [entry("message", "00000001", None, message=SHELL)], False),
        ("omp", "a plan", [entry("message", "00000001", None, message=SHELL)], True),
        ("omp", "", [entry("model_change", "00000001", None, model="acme/large-1")], False),
        ("omp", "", [said("user", "fix it")], True),
        ("omp", "", [said("user", "/review")], True),
        ("omp", "", [said("user", [IMAGE])], True),
        ("omp", "", [said("assistant", [], provider="acme", model="large-1", stopReason="error")], True),
        ("omp", "", [said("assistant", [CALL])], True),
        ("pi", "", [], False),
        ("pi", "", [entry("session_info", "00000001", None, name="a plan")], True),
        ("pi", "", [entry("message", "00000001", None, message=SHELL)], False),
        ("pi", "", [said("user", "fix it")], True),
    ],
)
def test_sessions_without_answer_title_and_prompt_are_hidden(
    tmp_path: Path, agent: str, title: str, lines: list[dict[str, Any]], is_listed: bool
) -> None:
    root = tmp_path / "sessions"
    write_session(root / "-work" / "s.jsonl", header(**{"title": title} if title else {}), *lines)
    index = Index([Store(agent_named(agent), str(root), "default")], str(tmp_path / "cache"))
    index.scan()
    model = ListModel((), "/home/me")
    model.load(index.rows())
    assert (model.total, model.hidden) == ((1, 0) if is_listed else (0, 1))
    ((_, shown, _, hidden),) = index.catalog.projects()
    assert (shown, hidden) == (model.total, model.hidden), "the first frame counts the same"
    index.close()
