"""What each format has of a session: goldens, branches, options, and damage."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import SessionManager
from markdown_it import MarkdownIt

from app.export import FORMATS, Choice, Surroundings, open_export
from app.redact import Personal, Redactor
from app.sessions import AmbiguousEntry, Changed, UnknownEntry
from tests.cases import cases
from tests.export.hostile import KEY, write_hostile
from tests.factory import NOW, append, entry, header, message, write_session
from tests.redact.secret_texts import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ZONE = "Europe/Berlin"
GOLDENS = Path(__file__).parent / "goldens"


def exported(path: Path, format: str, choice: Choice | None = None, **more: Any) -> str:
    """Return the document."""
    around = Surroundings([], {"HOME": str(path.parent)}, str(path.parent), NOW)
    export = open_export(str(path), (), format, choice or Choice(), around, **more)
    return b"".join(export.pieces).decode()


def conversation(path: Path) -> Path:
    """Write a session with a branch, a label, a tool call, thinking, a compaction and a name."""
    answer = message("00000002", "00000001", "assistant", "", 2, model="large-1")
    answer["message"]["content"] = [
        {"type": "thinking", "thinking": "Which files are there?"},
        {"type": "text", "text": "I **look**.\n\n```python\nprint('x')\n```"},
        {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls /home/alice/app"}},
    ]
    output = "\n".join(f"file-{number}" for number in range(30))
    return write_session(
        path,
        header("golden", cwd="/home/alice/app"),
        message("00000001", None, "user", f"List the files, and use {KEY}.", 1),
        answer,
        message("00000003", "00000002", "toolResult", output, 3, toolCallId="c1", toolName="bash"),
        message("00000004", "00000003", "assistant", "The first answer.", 4),
        message("00000005", "00000003", "assistant", "The second answer.", 5),
        entry("label", "00000006", "00000005", 6, targetId="00000001", label="start"),
        entry("session_info", "00000007", "00000006", 7, name="Files of alice@host"),
        entry(
            "compaction",
            "00000008",
            "00000007",
            8,
            summary="Files were listed.",
            firstKeptEntryId="00000005",
            tokensBefore=9,
        ),
        message("00000009", "00000008", "user", "Thanks.", 9),
    )


def work(path: Path) -> Path:
    """Write a session with two calls in one answer, an edit, a failed command and another model."""

    def answer(number: int, model: str, *blocks: dict[str, Any]) -> dict[str, Any]:
        line = message(f"0000000{number}", f"0000000{number - 1}", "assistant", "", number, model=model)
        usage = {"input": 1_000, "output": 200, "cacheRead": 5_000, "cost": {"total": 0.25}}
        line["message"] |= {"content": list(blocks), "usage": usage}
        return line

    def call(name: str, **arguments: Any) -> dict[str, Any]:
        return {"type": "toolCall", "id": name, "name": name, "arguments": arguments}

    def result(number: int, name: str, text: str, **more: Any) -> dict[str, Any]:
        parent = f"0000000{number - 1}"
        return message(
            f"0000000{number}",
            parent,
            "toolResult",
            text,
            number,
            toolCallId=name,
            toolName=name,
            **more,
        )

    edit = call(
        "edit", path="src/a.py", oldText="def f():\n    return 1\n", newText="def f():\n    return 2\n"
    )
    return write_session(
        path,
        header("work", cwd="/home/alice/app"),
        message("00000001", None, "user", "Make f return 2, and test it.", 1),
        answer(
            2,
            "large-1",
            {"type": "text", "text": "I edit and test."},
            edit,
            call("bash", command="make test"),
        ),
        result(3, "bash", "1 failed\nmake: *** [test] Error 2\nCommand exited with code 2", isError=True),
        result(4, "edit", "Edited src/a.py"),
        answer(5, "small-1", call("write", path="b.py", content="import a\n\nprint(a.f())\n")),
        result(6, "write", "Wrote 25 bytes"),
        message("00000007", "00000006", "user", "Thanks.", 50),
    )


def golden_documents(folder: Path) -> Iterable[tuple[str, str]]:
    """Return the name and the text of each golden file."""
    documents = [(conversation(folder / "golden.jsonl"), format) for format in FORMATS]
    documents += [(work(folder / "work.jsonl"), format) for format in ("html", "md")]
    for path, format in documents:
        redactor = Redactor(Personal("/home/alice", ["alice"]))
        choice = Choice(all_branches=format not in ("json", "jsonl"))
        text = exported(path, format, choice, redactor=redactor).replace(str(folder), "FOLDER")
        # The style and the script of the page are files of their own, and the policy has their digests.
        text = re.sub(r"<(style|script)>.*?</\1>", r"<\1>…</\1>", text, flags=re.DOTALL)
        name = "conversation" if path.stem == "golden" else path.stem
        yield f"{name}.{format}.txt", re.sub("sha256-[^&]+", "sha256-…", text)


def record() -> None:
    """Write the goldens anew: `python -c 'from tests.export.test_formats import record; record()'`."""
    import tempfile

    os.environ["TZ"] = ZONE
    time.tzset()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in golden_documents(Path(folder)):
            (GOLDENS / name).write_text(text, "utf-8")


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local times are those of `ZONE`."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", ZONE)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("berlin")
def test_each_format_gives_its_golden_document(tmp_path: Path) -> None:
    for name, text in golden_documents(tmp_path):
        if ".jsonl" in name:  # ids of new entries are random
            assert drop_ids(text) == drop_ids((GOLDENS / name).read_text("utf-8"))
        else:
            assert text == (GOLDENS / name).read_text("utf-8"), name


def drop_ids(text: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in text.splitlines()]
    return [{key: value for key, value in line.items() if key != "id"} for line in lines]


def entries_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()[1:]]


def test_a_session_file_read_back_equals_the_path(tmp_path: Path) -> None:
    path = conversation(tmp_path / "s.jsonl")
    manager = SessionManager.open(path, new=False)
    for leaf in ("00000004", "00000005", "00000009"):
        text = exported(path, "jsonl", Choice(entry=leaf))
        back = SessionManager.open(write_session(tmp_path / "back.jsonl", *text.splitlines()), new=False)
        wanted = [each.raw for each in manager.get_branch(leaf) if each.type != "label"]
        found = [each.raw for each in back.get_branch() if each.type not in ("label", "session_info")]
        wanted_ids = [each["id"] for each in wanted if each["type"] != "session_info"]
        assert [each["id"] for each in found] == wanted_ids
        assert back.build_session_context().messages == manager.build_session_context(leaf).messages
        assert back.get_label("00000001") == "start"
        assert back.session_name == "Files of alice@host"
        assert back.session_id == "golden"


def test_a_tree_read_back_equals_the_tree(tmp_path: Path) -> None:
    path = conversation(tmp_path / "s.jsonl")
    text = exported(path, "jsonl", Choice(all_branches=True))
    assert entries_of(text) == entries_of(path.read_text("utf-8"))


def test_json_has_the_messages_for_the_model(tmp_path: Path) -> None:
    path = conversation(tmp_path / "s.jsonl")
    manager = SessionManager.open(path, new=False)
    for choice, leaf in (
        (Choice(), None),
        (Choice(entry="00000004"), "00000004"),
        (Choice(branch="00000002"), "00000009"),
    ):
        document = json.loads(exported(path, "json", choice))
        context = manager.build_session_context(leaf)
        assert document["messages"] == context.messages
        assert document["model"] == context.model
        assert document["schema"] == 3


@cases("format", FORMATS)
@cases(("kind", "example"), EXAMPLES.items(), ids=list(EXAMPLES))
def test_each_secret_is_replaced_in_each_field_of_each_format(
    format: str, kind: str, example: str, tmp_path: Path
) -> None:
    answer = message("00000002", "00000001", "assistant", example, 2, model=example)
    answer["message"]["content"] += [
        {"type": "thinking", "thinking": example},
        {
            "type": "toolCall",
            "id": "c",
            "name": "bash",
            "arguments": {"command": example, "more": [{"x": example}]},
        },
    ]
    path = write_session(
        tmp_path / "s.jsonl",
        header("secret", cwd="/work/x", note=example),
        message("00000001", None, "user", f"see\n{example}\n", 1),
        answer,
        message(
            "00000003",
            "00000002",
            "toolResult",
            json.dumps({"out": example}),
            3,
            toolCallId="c",
            toolName="bash",
        ),
        entry("custom_message", "00000004", "00000003", 4, customType="x", content=example, display=True),
        entry("label", "00000005", "00000004", 5, targetId="00000001", label=example),
        entry("session_info", "00000006", "00000005", 6, name=f"Named {example}"),
        entry("branch_summary", "00000007", "00000006", 7, summary=example, fromId="root"),
    )
    redactor = Redactor()
    plain = exported(path, format)
    text = exported(path, format, redactor=redactor)
    (replacement,) = {
        each.secret for each in redactor.replacements if len(each.secret) < 10_000 and "\\" not in each.secret
    }
    for line in replacement.splitlines():
        assert line in plain.replace("\\n", "\n") or format in ("md", "html")
        assert line not in text, line
    assert f"[redacted: {kind}]".replace(" ", " ") in text.replace("\\", "")
    assert len(redactor.replacements) > 5
    if format == "jsonl":
        entries_of(text)


@cases("format", FORMATS)
def test_a_title_is_redacted_before_it_is_cut(format: str, tmp_path: Path) -> None:
    for before in (100, 260, 280, 460):
        for number, space in enumerate(("word ", "     ")):
            text = f"a {space * (before // 5)}{KEY} z"
            path = write_session(
                tmp_path / f"{before}-{number}.jsonl",
                header("cut"),
                message("00000001", None, "user", text, 1),
            )
            assert KEY[:6] not in exported(path, format, redactor=Redactor())


def test_options_leave_out_thinking_tools_and_images(tmp_path: Path) -> None:
    path = conversation(tmp_path / "s.jsonl")
    for format in ("html", "md"):
        full = exported(path, format)
        assert "Which files" in full
        assert "file-29" in full
        assert "The first answer" not in full
        assert "Which files" not in exported(path, format, Choice(thinking=False))
        short = exported(path, format, Choice(tools="short"))
        assert "file-11" in short
        assert "file-12" not in short
        assert "18 more lines" in short
        without = exported(path, format, Choice(tools="none"))
        assert "file-1" not in without
        assert "ls /home" not in without
        assert "The first answer" in exported(path, format, Choice(all_branches=True))
        assert "Thanks" not in exported(path, format, Choice(entry="00000005"))
        assert "The first answer" in exported(path, format, Choice(branch="00000004"))
        labelled = exported(path, format, Choice(all_branches=True, labelled=True))
        assert all(text in labelled for text in ("List the files", "file-29", "The first answer"))
        assert "Thanks" not in labelled, "this turn has no label"
    assert "no entries to show" in exported(work(tmp_path / "w.jsonl"), "html", Choice(labelled=True))
    hostile = write_hostile(tmp_path / "hostile.jsonl")
    assert "data:image/png" not in exported(hostile, "html")
    assert "image left out: image/png, 2×2" in exported(hostile, "html")
    assert 'src="data:image/png;base64,' in exported(hostile, "html", Choice(images=True))
    assert "data:image/svg" not in exported(hostile, "html", Choice(images=True))
    assert '"type":"image"' not in exported(hostile, "jsonl", redactor=Redactor())
    assert '"type":"image"' in exported(hostile, "jsonl", Choice(images=True), redactor=Redactor())
    assert '"type":"image"' in exported(hostile, "jsonl").replace('": "', '":"')


@cases("format", FORMATS)
def test_an_unknown_or_ambiguous_entry_is_an_error(format: str, tmp_path: Path) -> None:
    path = conversation(tmp_path / "s.jsonl")
    for choice in (Choice(entry="nothing"), Choice(branch="nothing")):
        with pytest.raises(UnknownEntry):
            exported(path, format, choice)
    with pytest.raises(AmbiguousEntry):
        exported(path, format, Choice(entry="000"))


@cases("format", FORMATS)
def test_a_damaged_session_is_exported_with_what_can_be_read(format: str, tmp_path: Path) -> None:
    path = conversation(tmp_path / "s.jsonl")
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines[:4], "{broken", *lines[4:], '{"type":"mess']), "utf-8")
    around = Surroundings([], {"HOME": str(tmp_path)}, str(tmp_path), NOW)
    export = open_export(str(path), (), format, Choice(), around)
    text = b"".join(export.pieces).decode()
    assert [problem.partition(":")[0] for problem in export.problems] == ["line 5", "line 12"]
    assert "Thanks" in text
    if format != "jsonl":
        assert "line 5" in text or '"line": 5' in text


@cases("format", FORMATS)
def test_a_session_that_grows_is_exported_as_it_was(format: str, tmp_path: Path) -> None:
    path = conversation(tmp_path / "s.jsonl")
    around = Surroundings([], {"HOME": str(tmp_path)}, str(tmp_path), NOW)
    expected = exported(path, format)
    export = open_export(str(path), (), format, Choice(), around)
    append(path, message("0000000a", "00000009", "user", "More.", 10))
    assert drop_random(b"".join(export.pieces).decode()) == drop_random(expected)


def drop_random(text: str) -> str:
    return re.sub(r'"id":"[0-9a-f]{8}"', "", text)


def test_a_session_that_is_written_anew_meanwhile_is_an_error(tmp_path: Path) -> None:
    path = conversation(tmp_path / "s.jsonl")
    around = Surroundings([], {"HOME": str(tmp_path)}, str(tmp_path), NOW)
    export = open_export(str(path), (), "html", Choice(), around)
    path.write_text("something else that is shorter\n")
    with pytest.raises(Changed):
        b"".join(export.pieces)


def test_markdown_has_no_elements_but_its_own_and_no_images(tmp_path: Path) -> None:
    text = exported(write_hostile(tmp_path / "h.jsonl"), "md", Choice(all_branches=True))
    tokens = MarkdownIt("commonmark", {"html": True}).parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    written = "".join(
        token.content for token in (*tokens, *inline) if token.type in ("html_block", "html_inline")
    )
    elements = re.findall(r"<(/?[a-zA-Z!]+)", written)
    assert set(elements) == {"a", "/a", "details", "/details", "summary", "/summary"}
    assert elements.count("details") == elements.count("/details")
    assert not [token for token in inline if token.type == "image"]
    assert not set("\x1b\x00\u202e") & set(text)
    text = exported(write_hostile(tmp_path / "h.jsonl"), "md", Choice(all_branches=True, images=True))
    inline = [child for token in MarkdownIt().parse(text) for child in token.children or ()]
    (image,) = [token for token in inline if token.type == "image"]
    assert str(image.attrs["src"]).startswith("data:image/png;base64,")


def test_a_session_without_entries_and_other_formats_are_exported(tmp_path: Path) -> None:
    path = write_session(tmp_path / "s.jsonl", header("empty"))
    for format in FORMATS:
        assert exported(path, format)
    assert "no entries to show" in exported(path, "html")
    agent = write_session(
        tmp_path / "agent.jsonl",
        {"type": "session", "id": "a3f7c901", "version": 1, "timestamp": "2026-02-26T14:30:12Z"},
        {"type": "message", "id": "m1", "parent_id": None, "timestamp": "2026-02-26T14:30:13Z",
         "role": "user", "message": {"role": "user", "content": [{"type": "text", "text": "Hello."}]}},
    )  # fmt: skip
    for target in ("pi", "omp"):
        text = exported(agent, "jsonl", target=target)
        assert "Hello." in text
        assert '"parentId"' in text
    back = write_session(tmp_path / "back.jsonl", *exported(agent, "jsonl").splitlines())
    assert SessionManager.open(back, new=False).agent == "pi"


def test_a_model_is_spelled_as_the_target_spells_it(tmp_path: Path) -> None:
    pi = write_session(
        tmp_path / "pi.jsonl",
        header("p"),
        entry("model_change", "00000001", None, provider="anthropic", modelId="large"),
        entry("session_info", "00000002", "00000001", name="Named"),
        message("00000003", "00000002", "user", "Hello."),
    )
    text = exported(pi, "jsonl", target="omp")
    omp = write_session(tmp_path / "omp.jsonl", *text.splitlines())
    there = SessionManager.open(omp, new=False)
    assert (there.agent, there.session_name) == ("omp", "Named")
    assert there.build_session_context().model == {"provider": "anthropic", "modelId": "large"}
    back = SessionManager.open(
        write_session(tmp_path / "back.jsonl", *exported(omp, "jsonl").splitlines()), new=False
    )
    assert (back.agent, back.session_name) == ("pi", "Named")
    assert back.build_session_context().model == {"provider": "anthropic", "modelId": "large"}
