"""Which texts a query searches."""

from __future__ import annotations

from app.formats import text_kinds
from app.formats.text_kinds import ASSISTANT, CALL, CONVERSATION, OTHER, RESULT, SHELL, THINKING, TOOLS, USER
from tests.cases import cases
from tests.index.query.helpers import fields, passes, read, refused


@cases(
    ("text", "places", "everywhere"),
    [
        ("x", text_kinds.SEARCHED, True),
        ("x in:text", CONVERSATION, False),
        ("x in:all", text_kinds.ALL, True),
        ("x in:tools", TOOLS, False),
        ("x in:thinking", {THINKING}, False),
        ("x in:tools,thinking", TOOLS | {THINKING}, False),
        ("x in:tools in:thinking", TOOLS | {THINKING}, False),
        ("x role:user", {USER}, False),
        ("x role:USER,assistant", {USER, ASSISTANT}, False),
        ("x role:user role:assistant", {USER, ASSISTANT}, False),
        ("x role:user in:thinking", {USER, THINKING}, False),
        ("x role:tool", {CALL, RESULT}, False),
        ("x role:bash", {SHELL}, False),
        ("x role:other", {OTHER}, False),
        # `in:all` is replaced by the first scope that names a kind of text.
        ("x in:all role:user", {USER}, False),
        ("x in:all,thinking", {THINKING}, False),
        ("x tool:bash", {CALL, RESULT}, False),
        ("x tool:bash in:all", {CALL, RESULT}, False),
        ("x tool:bash in:tools", {CALL, RESULT}, False),
        ("x tool:bash role:bash", {SHELL}, False),
        ("x tool:bash role:user", {USER}, False),
        ("x tool:bash role:user in:tools", {USER, CALL, RESULT}, False),
        # A negated scope removes only its own kinds.
        ("x -in:thinking", text_kinds.SEARCHED - {THINKING}, True),
        ("x -role:user,assistant", text_kinds.SEARCHED - {USER, ASSISTANT}, True),
        ("x in:all -in:tools", text_kinds.ALL - TOOLS, True),
        ("x in:tools -role:bash", {CALL, RESULT}, False),
        ("x -tool:bash", text_kinds.SEARCHED, True),
        ("x -in:tools", text_kinds.SEARCHED - TOOLS, True),
    ],
)
def test_scopes_add_up(text: str, places: set[int], everywhere: bool) -> None:
    query = read(text)
    assert query.kinds == places
    assert query.everywhere is everywhere


def test_everything_is_searched_unless_the_query_names_a_place() -> None:
    assert read("x").kinds == text_kinds.SEARCHED
    assert read("x in:all").kinds == text_kinds.ALL
    assert read("x").everywhere
    assert read("x in:all").everywhere
    assert read("x in:text").kinds == CONVERSATION
    assert not read("x in:text").everywhere


def test_files_are_searched_for_texts_that_are_not_stored() -> None:
    assert not read("x in:thinking").needs_files
    assert read("x in:tools").needs_files
    assert read("x tool:bash").needs_files
    assert read("x role:user,other").needs_files
    assert not read("tool:bash").needs_files  # no term: rows have the names of the called tools
    assert not read("in:all").needs_files


def test_tool_restricts_texts_to_those_of_its_tools() -> None:
    assert read("x tool:Bash,read tool:grep").tools == {"bash", "read", "grep"}
    assert read("x -tool:bash").tools == frozenset()
    assert read("x in:tools").tools == frozenset()


def test_tool_keeps_sessions_that_called_one_of_its_tools() -> None:
    assert passes("tool:BASH", tools=("read", "Bash"))
    assert passes("tool:bash,grep", tools=("grep",))
    assert not passes("tool:bash", tools=("bash_output",))
    assert not passes("tool:bash tool:grep", tools=("grep",))
    assert passes("-tool:bash", tools=("grep",))
    assert not passes("-tool:bash", tools=("grep", "bash"))


def test_in_and_role_do_not_filter_sessions() -> None:
    assert read("x role:user in:all -in:tools").filters == ()


@cases("blamed", ["-in:all", "-role:user"])
def test_a_query_that_searches_nothing_is_refused(blamed: str) -> None:
    assert refused(f"x role:user {blamed} y", blamed) == "this leaves no text to look in"


@cases(
    ("text", "filtered"),
    [
        # A result may have no call, but the texts themselves name their tool.
        ("x tool:bash", []),
        ("x in:tools tool:bash,read agent:pi", ["agent"]),
        ("x tool:bash -tool:read", ["tool"]),
        ("tool:bash", ["tool"]),
        ("-x tool:bash", ["tool"]),
        ("x -tool:bash", ["tool"]),
        ("x tool:bash tool:read", ["tool", "tool"]),
        ("x tool:bash role:user", ["tool"]),
        ("x tool:bash in:tools,thinking", ["tool"]),
    ],
)
def test_tool_also_filters_sessions_if_its_texts_are_not_enough(text: str, filtered: list[str]) -> None:
    assert fields(text) == filtered
