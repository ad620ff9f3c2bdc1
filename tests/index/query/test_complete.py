"""Completion of a query while it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index import Vocabulary, complete, vocabulary
from app.index.query import FILTER_KINDS
from app.stores import AGENTS
from tests.cases import cases
from tests.factory import make_row
from tests.index.query.helpers import FACTS, read

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    make_row("1", cwd="/home/me/work/app", name="Release notes", models=("anthropic/opus",), tools=("bash",)),
    make_row("2", cwd="/home/me/work/app", name="release plan", labels=(("a", "to do"), ("b", "to do"))),
    make_row(
        "3", cwd="/srv/working", agent="omp", name="my release", labels=(("a", "done"),), tools=("grep",)
    ),
    make_row("4", cwd="/home/me", name=" ", labels=(("a", "a,b"),), tools=("bash", "grep")),
]
KNOWN = vocabulary(ROWS, "/home/me")


def applied(marked: str, values: Vocabulary | None = KNOWN) -> list[str]:
    """The queries after each candidate is applied. `|` in `marked` is the cursor."""
    text = marked.replace("|", "", 1)
    return [candidate.applied(text) for candidate in complete(text, marked.index("|"), values)]


def test_between_words_all_filters_are_offered() -> None:
    names = [f"{name}:" for name in FILTER_KINDS] + ["re:"]
    assert applied("|") == names
    assert applied("fold |") == [f"fold {name}" for name in names]
    assert applied("| fold")[0] == "agent: fold"
    assert applied("-|") == [f"-{name}" for name in names]


@cases(
    ("marked", "expected"),
    [
        ("ag|", ["agent:"]),
        ("x AG| y", ["x agent: y"]),
        ("-la|", ["-label:"]),
        ("re|", ["re:"]),
        ("t|", ["tag:", "tool:", "tokens:"]),
        ("ag|ent", ["agent:"]),
        ("ag|foo", []),
        ("a|ll", []),
        ("-|>", []),
        ("-|31", []),
        ("-|ag", ["-agent:"]),
        ("da|:<2d", ["date:<2d"]),
        ("da|te::parse", []),
        ("cwd:|:x", []),
        ("da|foo:<2d", []),
        ("t|ool:x", []),
        ("age|nt:pi", []),
        ("agnet:|pi", ["agent:pi"]),
        ("cwd:/x|", ["dir:/x"]),
        ("zzz|", []),
        ("prog|", []),
        ("program:om|", ["program:omp"]),
        ("|ag", []),
        ('"ag|', []),
        ('x "two ag|', []),
        ('"two |', []),
        ('"ag"|', []),
        ("re:ag|", []),
        ("model:|:User", []),
    ],
)
def test_names_of_filters(marked: str, expected: list[str]) -> None:
    assert applied(marked) == expected


@cases(
    ("marked", "expected"),
    [
        ("agent:|", [f"agent:{agent.name}" for agent in AGENTS]),
        ("-agent:P|", ["-agent:pi"]),
        ("agent:pi,o|", ["agent:pi,omp"]),
        ("agent:p|,omp", ["agent:pi,omp"]),
        ("agent:o|,omp", []),
        ("agent:p|i", []),
        ("has:|", ["has:branch", "has:label", "has:fork", "has:error", "has:image"]),
        ("in:t|", ["in:text", "in:tools", "in:thinking"]),
        ("role:b|x", ["role:bash"]),
        ("is:x|", []),
        ("date:<|", ["date:<2d", "date:<1w", "date:<1mo"]),
        ("cost:|", ["cost:>1", "cost:>10", "cost:<1"]),
        ("dir:|", ["dir:~/work/app", "dir:/srv/working", "dir:~"]),
        ("dir:~/w|", ["dir:~/work/app"]),
        ("dir:/home/me/w|", ["dir:~/work/app"]),
        ("dir:WORK|", ["dir:~/work/app", "dir:/srv/working"]),
        ("name:rel|", ['name:"Release notes"', 'name:"release plan"', 'name:"my release"']),
        ('name:"release n|', ['name:"Release notes"']),
        ('name:"release n|" x', ['name:"Release notes" x']),
        ("label:|", ['label:"to do"', "label:done", 'label:"a,b"']),
        ("label:done,|", ['label:done,"to do"', 'label:done,"a,b"']),
        ("model:opus|", ["model:anthropic/opus"]),
        ("tool:|", ["tool:bash", "tool:grep"]),
        ("id:|", []),
    ],
)
def test_values_of_filters(marked: str, expected: list[str]) -> None:
    assert applied(marked) == expected


def test_tags_are_completed_the_most_used_first() -> None:
    tagged = KNOWN.with_tags({"client-x": 3, "clean": 1, "urgent": 1})
    offered = complete("tag:cl", 6, tagged)
    assert [(value.text, value.help) for value in offered] == [
        ("client-x", "3 sessions"),
        ("clean", "1 session"),
    ]


def test_without_a_vocabulary_fixed_values_are_offered() -> None:
    assert applied("agent:p|", None) == ["agent:pi"]
    assert applied("dir:|", None) == []


def test_help_names_the_values_or_counts_the_sessions() -> None:
    (agent,) = complete("age", 3, KNOWN)
    assert agent.help == "sessions of an agent"
    assert [candidate.help for candidate in complete("agent:", 6, KNOWN)][:2] == [
        "pi, 3 sessions",
        "oh-my-pi, 1 session",
    ]
    assert [candidate.help for candidate in complete("dir:", 4, KNOWN)] == [
        "2 sessions",
        "1 session",
        "1 session",
    ]
    assert [candidate.help for candidate in complete("label:to", 8, KNOWN)] == [
        "1 session"
    ]  # two labels, one session
    assert [candidate.help for candidate in complete("is:n", 4, KNOWN)] == ["given a name"]


def test_a_position_outside_the_text_is_moved_to_its_nearest_end() -> None:
    assert [candidate.text for candidate in complete("ag", 99)] == ["agent:"]
    assert complete("ag", -5) == []
    assert complete("x" * 5_000, 3) == []


def test_the_number_of_candidates_is_limited() -> None:
    rows = [make_row(str(number), name=f"name-{number}") for number in range(3 * 50)]
    candidates = complete("name:NAME", 9, vocabulary(rows))
    assert [candidate.text for candidate in candidates] == [f"name-{number}" for number in range(50)]


@cases("blank", ["\t", "\n", "\r\n", " \n ", "  ", "\u2028", "\u00a0", "\x1f", "\x85"])
def test_any_white_space_in_a_value_is_offered_as_one_blank(blank: str) -> None:
    text, plain = f"nm{blank}two", "nm two"
    odd = make_row(
        "1",
        cwd=f"/home/me/{text}",
        name=text,
        labels=(("a", text), ("b", plain)),
        models=(text, plain),
        tools=(text, plain),
    )
    values = vocabulary([odd, make_row("2", name=plain, labels=(("a", plain),))], "/home/me")
    for field in ("name", "label", "model", "tool"):
        assert applied(f"{field}:|", values) == [f'{field}:"{plain}"']
        assert applied(f'{field}:"NM{blank}t|', values) == [f'{field}:"{plain}"']
        assert applied(f'{field}:"{text}",|', values) == []
        assert read(f'{field}:"{plain}"').passes(odd, FACTS)
    assert [(value.text, value.count) for value in values.of("name")] == [(plain, 2)]
    assert [(value.text, value.count) for value in values.of("label")] == [(plain, 2)]
    assert [(value.text, value.count) for value in values.of("tool")] == [(plain, 1)]
    assert applied("dir:~/n|", values) == applied("dir:/home/me/n|", values) == [f'dir:"~/{plain}"']


@cases("name", ["\x1b[0m", "\x7f", "half \ud83d", "x" * 300, "\0"])
def test_values_that_cannot_be_typed_are_not_offered(name: str) -> None:
    assert vocabulary([make_row(name=name)]).of("name") == []
    assert [value.text for value in vocabulary([make_row(name="👩\u200d💻")]).of("name")] == ["👩\u200d💻"]


def test_a_folder_below_a_linked_home_is_one_candidate(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "home").symlink_to("disk")
    homes = [str(tmp_path / "home"), str(tmp_path.resolve() / "disk")]
    values = vocabulary([make_row(cwd=f"{home}/work") for home in homes], homes[0])
    assert [candidate.help for candidate in complete("dir:", 4, values)] == ["2 sessions"]
    for typed in ("dir:~/w|", *(f"dir:{home}/w|" for home in homes)):
        assert applied(typed, values) == ["dir:~/work"]
