"""Which files an answer's tools read and changed, as pi lists them."""

from __future__ import annotations

from typing import Any

from app.formats import FileLists, dialect_named, files_of
from tests.cases import cases


def calling(*calls: tuple[Any, Any], role: str = "assistant") -> dict[str, Any]:
    blocks = [{"type": "toolCall", "id": "1", "name": name, "arguments": given} for name, given in calls]
    return {"type": "message", "message": {"role": role, "content": blocks}}


def found(*entries: dict[str, Any], dialect: str = "pi") -> FileLists:
    return files_of(entries, dialect_named(dialect))


def test_a_changed_file_is_not_one_that_was_only_read() -> None:
    calls = [("read", {"path": name}) for name in ("b", "a", "c")]
    calls += [("edit", {"path": "c"}), ("write", {"path": "d"}), ("write", {"path": "c"})]
    assert found(calling(*calls[:2]), calling(*calls[2:])) == FileLists(("a", "b"), ("c", "d"))


@cases(
    "entry",
    [
        calling(("bash", {"path": "a"}), ("grep", {"path": "a"}), ("Read", {"path": "a"})),
        calling(("read", {"file_path": "a"}), ("read", {"path": ""}), ("read", {"path": 7}), ("read", None)),
        calling(("read", "a"), (None, {"path": "a"}), (["read"], {"path": "a"})),
        calling(("read", {"path": "a"}), role="user"),
        {"type": "message", "message": {"role": "assistant", "content": "read a"}},
        {
            "type": "message",
            "message": {"role": "assistant", "content": [None, 7, {"type": "text", "text": "a"}]},
        },
        {"type": "message", "message": None},
        {"type": "custom", "message": calling(("read", {"path": "a"}))["message"]},
        {"type": "branch_summary", "details": ["a"]},
        {"type": "branch_summary", "details": {"readFiles": "a", "modifiedFiles": [None, 7, ""]}},
        {"type": "branch_summary", "fromHook": True, "details": {"readFiles": ["a"]}},
        {"type": "branch_summary", "fromExtension": True, "details": {"modifiedFiles": ["a"]}},
        {"type": "compaction", "details": {"readFiles": ["a"]}},
        {},
    ],
)
def test_nothing_else_names_a_file(entry: dict[str, Any]) -> None:
    assert found(entry) == FileLists()


def test_a_summary_carries_its_lists_on() -> None:
    details = {"readFiles": ["a", "b"], "modifiedFiles": ["c"]}
    summed = {"type": "branch_summary", "details": details}
    assert found(summed).details == details
    assert found(summed, calling(("edit", {"path": "a"}))) == FileLists(("b",), ("a", "c"))


@cases(
    ("given", "file"),
    [
        *(
            (f"src/a.py{selector}", "src/a.py")
            for selector in ("", ":50", ":50-200", ":50+10", ":5-16,960-973")
        ),
        *(
            (f"src/a.py{selector}", "src/a.py")
            for selector in (":raw", ":RAW", ":conflicts", ":L5-L9", ":5..9")
        ),
        *((f"src/a.py{selector}", "src/a.py") for selector in (":1-50:raw", ":raw:1-50", ":5-", ":5..")),
        ("a:raw:raw", "a:raw"),
        ("a:5:6", "a:5"),
        (":50", ":50"),
        ("a:b", "a:b"),
        ("a:5\n", "a:5\n"),
    ],
)
def test_omp_puts_lines_behind_the_path_that_is_read(given: str, file: str) -> None:
    assert found(calling(("read", {"path": given})), dialect="omp").read == (file,)
    assert found(calling(("read", {"path": given})), dialect="pi").read == (given,)
    assert found(calling(("write", {"path": given})), dialect="omp").changed == (given,)


@cases("given", ["https://x.org/a", "artifact://3", "a.py:conflict://1"])
def test_what_omp_fetches_is_no_file(given: str) -> None:
    assert found(calling(("read", {"path": given}), ("edit", {"path": given})), dialect="omp") == FileLists()


def test_half_a_character_is_made_one() -> None:
    assert found(calling(("read", {"path": "a\ud800"}))).read == ("a\ufffd",)
