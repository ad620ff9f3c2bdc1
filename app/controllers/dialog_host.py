"""The interface of a screen for its controllers. Tests pass another object with these methods."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from app.widgets.other_program import open_in_program, show_on_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from textual.app import App
    from textual.screen import Screen
    from textual.timer import Timer

    from app.actions.resume import Plan

Answer = TypeVar("Answer")
Controller = TypeVar("Controller", bound="_Hosted")
Parameters = ParamSpec("Parameters")


class DialogHost:
    """Opens dialogs over a screen, and runs the coroutines that await their results."""

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen

    @property
    def app(self) -> App[Any]:
        """The application, which has the clipboard and the terminal."""
        return self._screen.app

    @property
    def is_active(self) -> bool:
        """Whether the screen gets the keys: no dialog is open over it."""
        return self._screen.is_active

    @property
    def is_mounted(self) -> bool:
        """Whether the panes of the screen are mounted."""
        return self._screen.is_mounted

    def start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine that may open dialogs. It is cancelled if the screen is removed."""
        self._screen.run_worker(coroutine)

    async def open(self, dialog: Screen[Answer]) -> Answer | None:
        """Open a dialog, in a coroutine of `start`, and wait for its result."""
        return await self._screen.app.push_screen_wait(dialog)

    def show(self, dialog: Screen[Any], closed: Callable[[Any], None] | None = None) -> None:
        """Open a dialog without waiting for its result.

        :param closed: receives the result.
        """
        self._screen.app.push_screen(dialog, closed)

    def set_timer(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call a function once, after some seconds."""
        return self._screen.set_timer(seconds, call)

    def open_in_program(self, kind: str, text: str, env: Mapping[str, str]) -> None:
        """Open a copy of a transcript in the user's "pager" or "editor", and wait until that ends.

        :param text: Markdown; inert for a pager.
        """
        open_in_program(self._screen.app, kind, text, ".md", env, shown=False, name="transcript")

    def run_toy_agent(self, text: str) -> None:
        """Show the text of the toy agent on the terminal until the user presses Enter."""
        show_on_terminal(self._screen.app, text)

    def exit(self, plan: Plan) -> None:
        """End leafmark; this process becomes the agent of the plan."""
        self._screen.app.exit(plan)


class _Hosted(Protocol):
    _host: DialogHost


def started(
    method: Callable[Concatenate[Controller, Parameters], Coroutine[Any, Any, None]],
) -> Callable[Concatenate[Controller, Parameters], None]:
    """Decorate a coroutine of a controller: a call starts it and returns at once (as Textual's `work`)."""

    @wraps(method)
    def start(controller: Controller, /, *arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        controller._host.start(method(controller, *arguments, **options))

    return start
