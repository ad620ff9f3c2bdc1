"""The base class of the services, and the threads that they run in.

A thing that is asked once is awaited where its answer is shown (`answered`, `in_background`). Messages are
for what streams and for what several places hear.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from threading import Condition, Thread, local
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from app.formats.errors import Cancelled

if TYPE_CHECKING:
    from asyncio import Future

    from textual.message import Message

Post = Callable[["Message"], object]
Job = Callable[[Callable[[], bool]], None]
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Service = TypeVar("Service", bound="BackgroundService")

# Seconds of work after which a thread sleeps, so that the screen's thread gets the interpreter.
WORK = 0.003
# Seconds that it sleeps: during work that a user waits for, and during work ahead of any request.
REST = 0.001
REST_AHEAD = 0.003


class LatestOnlyWorker:
    """One daemon thread for requests of which only the newest matters (the tree under a moving cursor).

    A job gets a function that says whether it is stale: a newer request has come. A long job calls it between
    its steps. An exception of a job goes to ``failed``. The thread starts with the first job.
    """

    def __init__(self, name: str, failed: Callable[[BaseException], None]) -> None:
        self._name = name
        self._failed = failed
        self._condition = Condition()
        self._job: Job | None = None
        self._number = 0
        self._stopped = False
        self._thread: Thread | None = None
        # those of `run` that are awaited: the newest alone, which is not kept when it has its result
        self._answers: set[Future[Any]] = set()

    def submit(self, job: Job, *, interrupts: bool = True) -> None:
        """Run a job next, in place of the one that waits.

        :param interrupts: the running job becomes stale; else it ends first.
        """
        for answer in self._answers:
            answer.cancel()
        with self._condition:
            self._job = job
            self._number += interrupts
            if self._thread is None and not self._stopped:
                self._thread = Thread(target=self._run, name=f"leafmark-{self._name}", daemon=True)
                self._thread.start()
            self._condition.notify()

    def run(
        self, work: Callable[[Callable[[], bool]], Result], *expected: type[Exception]
    ) -> Awaitable[Result]:
        """Run a function next, as `submit`; a coroutine awaits its result (`promised`). A later request
        cancels the coroutine. Once the coroutine is cancelled, the function is stale.
        """
        answer, job = promised(work, *expected)
        self.submit(lambda is_stale: job(lambda: is_stale() or answer.cancelled()))
        self._answers.add(answer)
        answer.add_done_callback(self._answers.discard)
        return answer

    def stop(self) -> None:
        """Accept no more jobs; the running one becomes stale."""
        with self._condition:
            self._stopped = True
            self._job = None
            self._number += 1
            self._condition.notify()

    def _run(self) -> None:
        while True:
            with self._condition:
                while self._job is None and not self._stopped:
                    self._condition.wait()
                if self._stopped:
                    return
                job, number = self._job, self._number
                self._job = None
            try:
                if job is not None:
                    job(lambda number=number: self._number != number)  # type: ignore[misc]
            except Exception as error:
                self._failed(error)
            # A job may hold a large object, and the next job may come late.
            job = None


class BackgroundService:
    """Runs requests of one kind in threads, and posts ``ServiceFailed`` for an unexpected error. A service
    never touches a widget. Its methods are called by the screen, and those that are decorated with
    `answered`, `in_thread` or `request` run in a thread.

    shares_thread   `answered` methods use one thread, and a request of one replaces that of another
    generation      the number of the newest request; a message with another number is out of date
    """

    shares_thread = False

    def __init__(self, post: Post) -> None:
        """:param post: receives the messages; it is called in the service's thread."""
        self._post = post
        self._worker = LatestOnlyWorker(type(self).__name__, self._failed)
        # one for each method that is `answered`
        self._workers: dict[str, LatestOnlyWorker] = {}
        self.generation = 0
        # For the method that runs in a thread: its generation, and whether a newer one waits.
        self._running = 0
        self._in_thread = local()

    def _worker_of(self, method: str) -> LatestOnlyWorker:
        if self.shares_thread:
            return self._worker
        if method not in self._workers:
            self._workers[method] = LatestOnlyWorker(f"{type(self).__name__}.{method}", self._failed)
        return self._workers[method]

    @property
    def _is_stale(self) -> Callable[[], bool]:
        """Says whether the result of the method that runs is not wanted any more; called in its thread."""
        is_stale: Callable[[], bool] = self._in_thread.is_stale
        return is_stale

    def _is_wanted(self) -> bool:
        """Whether the messages of the method that runs are not out of date; called in the thread."""
        return self._running == self.generation

    def close(self) -> None:
        """Release what the service keeps of its requests; messages on their way become out of date."""
        self.generation += 1
        self._worker.submit(lambda is_stale: self._release())

    def _release(self) -> None:
        """Forget what is kept of requests; called in the thread."""

    def stop(self) -> None:
        """End the threads."""
        for worker in (self._worker, *self._workers.values()):
            worker.stop()

    def _failed(self, error: BaseException) -> None:
        """Report an unexpected error; called in the service's thread."""
        # Imported here: a service may start before Textual is imported, which messages need.
        from app.messages import ServiceFailed

        self._post(ServiceFailed(f"{type(error).__name__}: {error}"))


def in_thread(
    method: Callable[Concatenate[Service, Parameters], None],
) -> Callable[Concatenate[Service, Parameters], None]:
    """Decorate a method of a service: a call returns at once, and the method runs in the service's thread. A
    later call of a decorated method replaces one that waits, and makes one that runs stale.
    """

    @wraps(method)
    def submit(service: Service, /, *arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        generation = service.generation

        def run(is_stale: Callable[[], bool]) -> None:
            service._running, service._in_thread.is_stale = generation, is_stale
            method(service, *arguments, **options)

        service._worker.submit(run)

    return submit


def answered(
    *expected: type[Exception],
) -> Callable[
    [Callable[Concatenate[Service, Parameters], Result]],
    Callable[Concatenate[Service, Parameters], Awaitable[Result]],
]:
    """Decorate a method of a service: it runs in a thread of its own, and its caller awaits the result
    (`LatestOnlyWorker.run`). See `shares_thread`.

    :param expected: the errors that the caller gets. Any other is reported, and the caller is cancelled.
    """

    def decorate(
        method: Callable[Concatenate[Service, Parameters], Result],
    ) -> Callable[Concatenate[Service, Parameters], Awaitable[Result]]:
        @wraps(method)
        def ask(
            service: Service, /, *arguments: Parameters.args, **options: Parameters.kwargs
        ) -> Awaitable[Result]:
            def run(is_stale: Callable[[], bool]) -> Result:
                service._in_thread.is_stale = is_stale
                try:
                    return method(service, *arguments, **options)
                finally:
                    # it holds the result
                    del service._in_thread.is_stale

            return service._worker_of(method.__name__).run(run, *expected)

        return ask

    return decorate


def request(
    method: Callable[Concatenate[Service, Parameters], None],
) -> Callable[Concatenate[Service, Parameters], None]:
    """Decorate a method as with `in_thread`; a call also begins a new request: messages of earlier ones are
    out of date.
    """
    submit = in_thread(method)

    @wraps(method)
    def begin(service: Service, /, *arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        service.generation += 1
        submit(service, *arguments, **options)

    return begin


def promised(
    work: Callable[Parameters, Result], *expected: type[Exception]
) -> tuple[Future[Result], Callable[Parameters, None]]:
    """A future for a coroutine, and the function that a thread calls, which gives it the result of `work`.

    :param expected: the errors that the coroutine gets. With any other it is cancelled, and the thread gets
        the error, unless that is `Cancelled`.
    """
    # not at the top: a service starts before the screen, which needs it
    from asyncio import get_running_loop

    loop = get_running_loop()
    answer: Future[Result] = loop.create_future()

    def end(call: Callable[[], object]) -> None:
        loop.call_soon_threadsafe(lambda: answer.done() or call())

    def run(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        try:
            result = work(*arguments, **options)
        except expected as error:
            end(partial(answer.set_exception, error))
        except Cancelled:
            end(answer.cancel)
        except Exception:
            end(answer.cancel)
            raise
        else:
            end(partial(answer.set_result, result))

    return answer, run


def in_background(work: Callable[[], Result]) -> Awaitable[Result]:
    """Run a function in a thread; its result and its errors are awaited. The end of leafmark does not wait
    for this thread, as it would for one of `asyncio.to_thread`.
    """
    answer, run = promised(work, Exception)
    Thread(target=run, daemon=True).start()
    return answer


class GilYielder:
    """Lets a long job sleep now and then, so that the screen's thread gets the interpreter."""

    def __init__(self, is_stale: Callable[[], bool], rest: float = REST) -> None:
        """:param is_stale: whether the job's result is not wanted any more.
        :param rest: seconds of each sleep.
        """
        self._is_stale = is_stale
        self._rest = rest
        self._since = monotonic()

    def keep_going(self) -> bool:
        """Whether to go on with the job. Call it about once a millisecond; it may sleep."""
        if monotonic() - self._since >= WORK:
            sleep(self._rest)
            self._since = monotonic()
        return not self._is_stale()
