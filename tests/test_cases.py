"""`cases`: every case runs, and every one that fails is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path


def test_every_case_runs_and_each_that_fails_is_named() -> None:
    ran: list[tuple[str, int]] = []

    @cases("word", ["a", "b"])
    @cases(("count", "least"), [(1, 2), (3, 2), (5, 9)], ids=["one", "three", "five"])
    def test(word: str, count: int, least: int) -> None:
        ran.append((word, count))
        assert count > least or word == "b"

    with pytest.raises(ExceptionGroup, match="2 of 3 cases failed") as failure:
        test()
    assert ran == [(word, count) for word in "ab" for count in (1, 3, 5)]
    assert failure.value.__notes__ == ["case: word='a'"]
    assert [each.__notes__ for each in failure.value.exceptions] == [["case: one"], ["case: five"]]


def test_a_failure_of_pytest_does_not_end_the_other_cases() -> None:
    ran: list[int] = []

    @cases("number", range(3))
    def test(number: int) -> None:
        ran.append(number)
        with pytest.raises(ValueError, match="invalid literal"):
            int("one" if number == 1 else "1")

    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases failed"):
        test()
    assert ran == [0, 1, 2]


def test_no_case_finds_the_files_and_settings_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []

    @cases("number", range(2))
    def test(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert not list(tmp_path.iterdir())
        (tmp_path / "file").touch()
        assert "x" not in registry
        monkeypatch.setitem(registry, "x", number)
        ran.append(number)

    registry: dict[str, int] = {}
    test(tmp_path=tmp_path, monkeypatch=monkeypatch)
    assert ran == [0, 1]
    assert not registry


def test_a_test_without_cases_is_refused() -> None:
    with pytest.raises(ValueError, match="no cases of number"):
        cases("number", [])
    with pytest.raises(ValueError, match="does not take number"):
        cases("number", [1])(lambda: None)
