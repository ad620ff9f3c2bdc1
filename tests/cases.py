"""Many small cases of one behaviour as one test, which names each case that fails.

`@cases` is written as `@pytest.mark.parametrize`. Use it where a case takes a few milliseconds: pytest takes
longer than that to collect, schedule and report one test in six workers.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Test = Callable[..., None]

# All that a failed check raises: pytest's own failures are no `Exception`.
_FAILURES = (Exception, pytest.fail.Exception)


def cases(
    names: str | tuple[str, ...],
    values: Iterable[Any],
    ids: Iterable[str] | Callable[[Any], object] | None = None,
    *,
    one_folder: bool = False,
) -> Callable[[Test], Test]:
    """Return a decorator that calls a test with each of the values and fails after the last of them.

    `names` is the parameter that takes a value. If there are several, each value is a sequence. Each case has
    an empty `tmp_path` of its own unless they are to share `one_folder`, and its changes through
    `monkeypatch` end with it. The cases share all other fixtures. A failure has the name of its case as a
    note: its id, or its values.

    Raises ValueError if there is no case.
    """
    parameters = (names,) if isinstance(names, str) else names
    rows = [(value,) if isinstance(names, str) else tuple(value) for value in values]
    if not rows:
        raise ValueError(f"no cases of {names}")

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            failures: list[BaseException] = []
            for number, row in enumerate(rows):
                arguments = dict(zip(parameters, row, strict=True))
                try:
                    _run_one(test, None if one_folder else number, fixtures | arguments)
                except _FAILURES as failure:
                    failure.add_note(f"case: {_title(parameters, row, ids, number)}")
                    failures.append(failure)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} cases failed", failures)

        left = [parameter for name, parameter in signature.parameters.items() if name not in parameters]
        if len(left) != len(signature.parameters) - len(parameters):
            raise ValueError(f"{test.__name__} does not take {names}")
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate


def _run_one(test: Test, number: int | None, arguments: dict[str, Any]) -> None:
    """Run one case with a monkeypatch of its own, nothing printed before it, and a folder of this number."""
    if "tmp_path" in arguments and number is not None:
        arguments["tmp_path"] = arguments["tmp_path"] / str(number)
        arguments["tmp_path"].mkdir()
    if "capsys" in arguments:
        arguments["capsys"].readouterr()
    if "monkeypatch" not in arguments:
        test(**arguments)
        return
    with arguments["monkeypatch"].context() as patch:
        test(**arguments | {"monkeypatch": patch})


def _title(
    parameters: Sequence[str],
    row: Sequence[Any],
    ids: Iterable[str] | Callable[[Any], object] | None,
    number: int,
) -> str:
    """Return what names a case in a failure: its id, or its parameters with their values."""
    if ids is None:
        return ", ".join(f"{name}={value!r:.300}" for name, value in zip(parameters, row, strict=True))
    if callable(ids):
        return ", ".join(str(ids(value)) for value in row)
    return str(list(ids)[number])
