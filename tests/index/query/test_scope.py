"""Which texts a query searches."""

from __future__ import annotations

from app.formats import text_kinds
from app.formats.text_kinds import ASSISTANT, CALL, CONVERSATION, OTHER, RESULT, SHELL, THINKING, TOOLS, USER
from app.index.query.grammar import leaves_tools
from tests.cases import cases
from tests.index.query.helpers import fields, passes, read, refused


@cases(
    ("text", "places", "everywhere"),
    [
        ("x", CONVERSATION, True),
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
        ("x -in:thinking", CONVERSATION - {THINKING}, True),
        ("x -role:user,assistant", CONVERSATION - {USER, ASSISTANT}, True),
        ("x in:all -in:tools", text_kinds.ALL - TOOLS, True),
        ("x in:tools -role:bash", {CALL, RESULT}, False),
        ("x -tool:bash", CONVERSATION, True),
        ("x -in:tools", CONVERSATION, True),
    ],
)
def test_scopes_add_up(text: str, places: set[int], everywhere: bool) -> None:
    query = read(text)
    assert query.kinds == places
    assert query.everywhere is everywhere


def test_all_text_means_all_kinds_unless_the_query_names_some() -> None:
    assert read("x", all_text=True).kinds == text_kinds.ALL
    assert read("x", all_text=True).everywhere
    assert read("x in:thinking", all_text=True).kinds == {THINKING}
    assert read("x role:user", all_text=True).kinds == {USER}
    assert read("x -in:thinking", all_text=True).kinds == text_kinds.ALL - {THINKING}


def test_files_are_searched_for_texts_that_are_not_stored() -> None:
    assert not read("x in:thinking").is_deep
    assert read("x in:tools").is_deep
    assert read("x tool:bash").is_deep
    assert read("x role:user,other").is_deep
    assert not read("tool:bash").is_deep  # no term: rows have the names of the called tools
    assert not read("in:all").is_deep


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


@cases(
    ("text", "leaves"),
    [
        ("x", True),
        ('"x y" -role:user', True),
        ("re:x agent:pi", True),
        ("-in:thinking x", True),
        ("date:<2d x", True),
        ("", False),
        ("agent:pi", False),
        ("-x", False),
        ("x in:tools", False),
        ("x in:all", False),
        ("x in:thinking", False),
        ("x role:user", False),
        ("x tool:bash", False),
        ("x -in:tools", False),
        ("x -role:bash", False),
        ("x -tool:bash", True),
    ],
)
def test_tools_are_left_out_only_without_a_scope(text: str, leaves: bool) -> None:
    assert leaves_tools(read(text)) is leaves
    assert not leaves_tools(read(text, all_text=True))
