"""Run random operations on the real agents and on `app.sessions`, and compare after every step.

Then each side opens the other's file, where ids and times have to agree as well.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.formats import fold_title
from app.sessions import open_tree
from tests.interop.programs import Program, assistant, tool_result, user
from tests.interop.sides import MISSING, Ours, Real, Real087, RealOmp, Step, steps_text
from tests.interop.strategies import OMPS_TURNS, PIS_TURNS
from tests.interop.views import differences, of_tree, times_in_context, untimed

TEXTS = st.one_of(
    st.sampled_from(
        ["", " ", "fix the login", "two\nlines", "\r\n \ttabs\t", "\u00a0\ufeff\u0085 odd \x1c", "🙂"]
    ),
    st.text(max_size=12),
)
# leafmark writes a label in one line, the agents write it unchanged.
LABELS = TEXTS.map(lambda text: re.sub(r"[\r\n]+", " ", text))
SPOKEN = st.one_of(st.sampled_from(["Why?", "", "fix\nit", "🙂 \u202e"]), st.text(max_size=8))
PLACES = st.one_of(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.just(MISSING))
DETAILS = st.sampled_from([None, {"readFiles": ["a.py"], "n": 1.5}, {}])
HOOKS = st.sampled_from([None, True, False])
CONTENTS = st.one_of(SPOKEN, SPOKEN.map(lambda text: [{"type": "text", "text": text}]))
KINDS = st.sampled_from(["note", "hint", "a b"])
LEVELS = st.sampled_from(["off", "low", "high"])

READ, WRITE = ({"name": name, "description": "", "parameters": {}} for name in ("read", "write"))


def system(text: str, more: dict[str, Any]) -> dict[str, Any]:
    """Return pi's system message: a complete one, or the changes to the one before."""
    return {"role": "system", "content": text, **more, "timestamp": 1_780_000_000_000}


SYSTEMS = st.builds(
    system,
    st.sampled_from(["You test.", "", "You fix."]),
    st.sampled_from(
        [
            {},
            {"sections": {"a": "b"}},
            {"sections": {"a": None, "c": "d"}},
            {"toolsAdded": [READ, WRITE]},
            {"toolsRemoved": [READ], "toolsAdded": [WRITE]},
        ]
    ),
)
USER = SPOKEN.map(user)
ASSISTANT = st.builds(assistant, SPOKEN, model=st.sampled_from(["large-1", "small-1"]))
PIS_MESSAGES = st.one_of(
    USER,
    USER,
    ASSISTANT,
    ASSISTANT,
    st.builds(assistant, SPOKEN, st.sampled_from(["call-1", "call-2"])),
    st.builds(tool_result, st.sampled_from(["call-1", "call-2"]), SPOKEN),
    st.builds(lambda text: {**user(""), "content": text}, st.one_of(st.none(), SPOKEN)),
    st.just({"role": "bashExecution", "command": "ls", "output": "a.py", "exitCode": 0, "timestamp": 1}),
    SYSTEMS,
    PIS_TURNS,
)


def step(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    return st.tuples(st.just(name), *arguments)


COMMON = (
    step("thinking", LEVELS),
    step("model", st.sampled_from(["acme", "other"]), st.sampled_from(["large-1", "a/b"])),
    step("compaction", SPOKEN, PLACES, st.integers(0, 10**9), DETAILS, HOOKS),
    step("custom", KINDS, DETAILS),
    step("custom_message", KINDS, CONTENTS, st.booleans(), DETAILS),
    step("label", PLACES, st.one_of(st.none(), LABELS)),
    step("label", PLACES, LABELS),
    step("branch", PLACES),
    step("reset"),
    step("summary", st.one_of(PLACES, st.none()), SPOKEN, DETAILS, HOOKS),
    step("reopen"),
    step("fork"),
)
PIS_STEPS = st.lists(
    st.one_of(
        *(step("message", PIS_MESSAGES) for _ in range(5)),
        *COMMON,
        step("name", TEXTS),
        step("compaction", SPOKEN, st.none(), st.integers(0, 10**9), DETAILS, HOOKS),
        step("take_out", PLACES),
        step("new"),
    ),
    max_size=24,
)
OMPS_STEPS = st.lists(
    st.one_of(
        *(step("message", st.one_of(USER, ASSISTANT, OMPS_TURNS)) for _ in range(5)),
        *COMMON,
        # omp leaves an aborted answer in the context if this note follows it.
        step("custom_message", st.just("interrupted-thinking"), CONTENTS, st.just(False), DETAILS),
        # omp accepts no empty name: a name cannot be cleared.
        step("name", TEXTS.filter(lambda text: fold_title(text) != "")),
    ),
    max_size=20,
)

LONG = settings(
    max_examples=200,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def agree(real: Real, ours: Ours, when: str) -> None:
    """Check that both sides have the same session, except for ids and times."""
    theirs, mine = real.view(), ours.view()
    assert differences(untimed(theirs), untimed(mine)) == [], when
    assert times_in_context(theirs), when
    assert times_in_context(mine), when
    assert ours.written == (real.written or real.awaits_answer), f"{when}: only one of the files is there"


def run(real: Real, ours: Ours, steps: list[Step]) -> None:
    """Run the same steps on both sides, and compare after each of them."""
    for place, each in enumerate(steps):
        if real.awaits_answer and each[0] in ("reopen", "fork"):
            # Only leafmark has a file to open or to fork.
            continue
        when = f"step {place} of\n{steps_text(steps)}"
        before = real.file, ours.file
        assert real.do(each) == ours.do(each), f"only one refused, {when}"
        agree(real, ours, when)
        assert (real.file == before[0]) == (ours.file == before[1]), f"only one has a new file, {when}"
        assert (real.parent_file == before[0]) == (ours.parent_file == before[1]), f"parents, {when}"


def each_opens_the_others_file(real: Real, ours: Ours, steps: list[Step], folder: Path) -> None:
    """Check that each side reads the other's file exactly: real agent, manager, tree of the screens."""
    files = [(name, str(side.file)) for name, side in (("theirs", real), ("ours", ours)) if side.written]
    for name, file in files:
        copy = folder / f"{name}.jsonl"
        shutil.copyfile(file, copy)
        ours.open(str(copy))
        mine = ours.view()
        shown = of_tree(open_tree(str(copy), (ours.agent,)))
        real.open(str(copy))
        told = f"{name}:\n{copy.read_text()}\nafter\n{steps_text(steps)}"
        assert differences(real.view(), mine) == [], told
        assert real.ids() == ours.ids(), told
        assert differences(mine, shown, "context") == [], told
        assert copy.read_bytes() == Path(file).read_bytes(), f"{name}: opening wrote into the file"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Make a working folder that exists: omp returns to its own if it does not."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def pi_does_the_same(real_pi: type[Real], program: Program, work: Path, steps: list[Step]) -> None:
    """Check that this version of pi and the manager agree, in files and after opening the other's file."""
    with tempfile.TemporaryDirectory(dir=work) as name:
        folder = Path(name)
        real = real_pi(program, str(work), folder / "pi")
        ours = Ours("pi", str(work), folder / "ours", {"HOME": name})
        run(real, ours, steps)
        each_opens_the_others_file(real, ours, steps, folder)
        real.session.forget()


@LONG
@given(steps=PIS_STEPS)
def test_the_real_pi_and_the_manager_do_the_same(pi: Program, work: Path, steps: list[Step]) -> None:
    pi_does_the_same(Real, pi, work, steps)


@LONG
@given(steps=PIS_STEPS)
def test_the_real_pi_0_87_and_the_manager_do_the_same(pi_087: Program, work: Path, steps: list[Step]) -> None:
    pi_does_the_same(Real087, pi_087, work, steps)


@LONG
@given(steps=PIS_STEPS)
def test_pi_and_the_manager_do_the_same_in_memory(pi: Program, work: Path, steps: list[Step]) -> None:
    real = Real(pi, str(work), None)
    ours = Ours("pi", str(work), None, {})
    run(real, ours, steps)
    assert ours.file is None
    real.session.forget()
    assert list(work.iterdir()) == []


@LONG
@given(steps=OMPS_STEPS)
def test_the_real_omp_and_the_manager_do_the_same(omp: Program, work: Path, steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory(dir=work) as name:
        folder = Path(name)
        real = RealOmp(omp, str(work), folder / "omp")
        ours = Ours("omp", str(work), folder / "ours", {"HOME": name})
        run(real, ours, steps)
        each_opens_the_others_file(real, ours, steps, folder)
        real.session.call("close")
        real.session.forget()
