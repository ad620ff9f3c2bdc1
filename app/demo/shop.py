"""The web shop: a flaky login test with branches and forks, refunds that end badly, a cent that is lost."""

from __future__ import annotations

from app.demo.builder import Session, days, fork, hours, minutes


def sessions() -> list[Session]:
    """Seven sessions of pi, omp and nickcecere/agent in one project."""
    login = _login()
    return [login, _redis(login), _limits(), _refunds(), _totals(), *_request_ids()]


def _login() -> Session:
    talk = Session("pi", "shop", "login", age=minutes(2), thinking="medium")
    talk.user(
        "tests/test_login.py::test_session_survives_restart fails on CI, about one run in five. Never here."
    )
    talk.tools(
        ("read", {"path": "tests/test_login.py", "offset": 1, "limit": 80}, TEST_LOGIN, False),
        ("grep", {"pattern": "session_token", "path": "src"}, GREP_TOKEN, False),
        say="I'll look at the test and at everything that touches the token.",
        think="One in five points at ordering or time. CI runs with xdist, so tests may share a store.",
    )
    talk.tool("bash", PYTEST_FAIL, command="pytest tests/test_login.py -n 4 -q --count 20", failed=True)
    cause = talk.reply(
        "I can make it fail here as well, with `-n 4`.\n\nThe token is read **before** the cookie is set: "
        "`login()` schedules the write and returns, and the next request may come first. Alone on the "
        "machine the write always wins; with four workers it does not.\n\nTwo ways out:\n\n1. wait for the "
        "write in `login()`\n2. keep the token in the response and write it in the background"
    )
    talk.label(cause, "cause found")
    ask = talk.user("try caching it in the response first, I don't want login to get slower")
    talk.tool(
        "edit",
        "Edited src/shop/auth.py (+6 -2)",
        path="src/shop/auth.py",
        oldText="    store.put_later(token)\n    return response",
        newText="    response.state.token = token\n    store.put_later(token)\n    return response",
    )
    talk.tool("bash", "80 passed in 21.40s", command="pytest tests/test_login.py -n 4 -q --count 20")
    cached = talk.reply(
        "80 of 80 pass now. But it only moves the gap: a second worker process still reads the store, and "
        "would see no token for the first few milliseconds."
    )
    talk.label(cached, "cache idea")
    talk.user("right, and we do run two processes. what would redis look like?")
    redis = talk.reply(
        "A shared store with a synchronous `SET` costs about 0.4 ms on the same host. Login stays one round "
        "trip, every process sees the token at once, and tokens get an expiry for free. It is one more "
        "service to run, though: compose file, CI service, health check."
    )
    talk.label(redis, "redis sketch")
    talk.back_to(
        cause,
        "Tried to keep the token in the response. Tests pass, but a second process still sees no token. "
        "Redis would solve it at the price of one more service; sketched, not built.",
    )
    talk.user("let's just wait for the write. how slow is it really?", pause=5_400)
    talk.tool(
        "bash",
        "login: n=500  p50 3.1 ms  p95 4.0 ms\nlogin (awaiting the write): n=500  p50 3.4 ms  p95 4.6 ms",
        command="python bench/login.py --compare await-write",
        say="Measuring both.",
    )
    talk.reply("0.3 ms at the median. That is cheaper than any of the other ideas.")
    talk.user("do it, and add a test that would have caught this without xdist")
    talk.tool(
        "edit",
        "Edited src/shop/auth.py (+1 -1)",
        path="src/shop/auth.py",
        oldText="    store.put_later(token)",
        newText="    await store.put(token)",
    )
    talk.tool("write", "Wrote 31 lines", path="tests/test_login_order.py", content=ORDER_TEST)
    talk.tool("bash", "412 passed in 38.02s", command="pytest -n 4 -q")
    done = talk.reply(
        "Done. The new test uses a store whose writes finish only when told to, so it fails on the old code "
        "every time. The whole suite is green: 412 passed."
    )
    talk.label(done, "ready to merge")
    talk.name("Flaky login on CI")
    ask_again = talk.user("write the commit message")
    talk.reply(
        "```\nWait for the session token before login returns\n\nThe write was left to run in the "
        "background, so a request that came at once could find no token.\nCosts 0.3 ms at the median.\n```"
    )
    talk.back_to(ask)
    talk.user("what if the cookie itself carried the token, signed?")
    talk.reply(
        "",
        think="Signed cookie: no store at all, but no way to log a",
        stop="aborted",
        error="Request was aborted",
    )
    talk.back_to(ask_again)
    talk.user("shorter, one line only")
    talk.reply("`Wait for the session token before login returns`")
    return talk


def _redis(login: Session) -> Session:
    at = next(entry for entry in login.entries if entry.data.get("text", "").startswith("A shared store"))
    talk = fork(login, at, "redis", age=hours(1))
    talk.user("build the redis version here, behind a setting, so that we can compare under load")
    talk.tool("bash", "redis 7.4.1 is up on 6379", command="docker compose up -d redis && redis-cli ping")
    talk.tool("write", "Wrote 54 lines", path="src/shop/stores/redis.py", content=REDIS_STORE)
    talk.tool(
        "bash",
        "p50 3.6 ms  p95 5.2 ms  errors 0",
        command="python bench/login.py --store redis --processes 2 --seconds 30",
    )
    talk.reply(
        "It works with two processes: no lost tokens in 30 s of load. It is 0.2 ms slower than waiting for "
        "the local write, so for one host it buys nothing. I would keep the branch for the day there are two."
    )
    talk.name("Redis for login tokens (for later)")
    return talk


def _limits() -> Session:
    talk = Session("pi", "shop", "limits", age=hours(7), model="openai/gpt-5.1-codex")
    talk.user("we need a rate limit on POST /login: 10 tries a minute for each address")
    talk.tool("read", "def limiter(app): ...", path="src/shop/middleware.py")
    plan = talk.reply(
        "A token bucket in memory is enough for one process. With two, each would allow ten. I'd write it as "
        "a small library with the store as a parameter."
    )
    talk.label(plan, "library?")
    talk.user("yes, as a library. keep it free of the web framework")
    talk.tool("write", "Wrote 88 lines", path="src/shop/bucket.py", content="class Bucket:\n    ...\n")
    talk.tool("bash", "14 passed in 0.31s", command="pytest tests/test_bucket.py -q")
    talk.reply("Done: `Bucket(rate, burst, now)`. The clock is a parameter, so the tests never sleep.")
    return talk


def _refunds() -> Session:
    talk = Session("pi", "shop", "refunds", age=hours(5), model="anthropic/claude-opus-4-5", thinking="high")
    talk.user(
        "add POST /orders/{id}/refund. partial refunds too. the provider's docs are in docs/payments.md"
    )
    talk.tool("read", "# Payments\n\n## Refunds\nIdempotency-Key is required ...", path="docs/payments.md")
    talk.reply(
        "", stop="error", error="529 overloaded_error: the service is overloaded, please try again later"
    )
    talk.reply(
        "", stop="error", error="529 overloaded_error: the service is overloaded, please try again later"
    )
    talk.model("openai/gpt-5.1-codex")
    talk.user("go on")
    talk.tool(
        "write",
        "Wrote 73 lines",
        path="src/shop/refunds.py",
        content="async def refund(order, amount, key): ...\n",
        think="Partial refunds: the sum must never pass the captured amount, also with two requests at once.",
    )
    talk.tool(
        "bash",
        "FAILED tests/test_refunds.py::test_two_at_once - assert 150_00 <= 100_00\n1 failed, 9 passed",
        command="pytest tests/test_refunds.py -q",
        failed=True,
    )
    talk.reply(
        "Two refunds at the same time can exceed the order. I'll lock the order's row first.", stop="length"
    )
    return talk


def _totals() -> Session:
    talk = Session("omp", "shop", "totals", age=days(1) + hours(2), thinking="high")
    talk.user(
        "three customers say the total in the mail is one cent off from the checkout page. find out why"
    )
    talk.tools(
        ("grep", {"pattern": "round\\(", "path": "src"}, GREP_ROUND, False),
        ("read", {"path": "src/shop/cart.py", "offset": 40, "limit": 60}, "def total(self): ...", False),
        think="Tax rounded for each line in one place and for the sum in the other is the usual suspect.",
    )
    why = talk.reply(
        "The page rounds tax **for each line**, the mail rounds **the sum**. With three lines of 0.335 that "
        "is 1.02 against 1.01. Invoices have to round by line here, so the mail is wrong."
    )
    talk.label(why, "the rule")
    talk.user("use Decimal everywhere and one function for it")
    talk.tool(
        "edit",
        "Edited 4 files (+31 -27)",
        path="src/shop/money.py",
        edits=[{"op": "replace", "lines": "12-30"}],
    )
    first = talk.tool("bash", "7 failed, 405 passed", command="pytest -q", failed=True)
    talk.label(first, "7 failures")
    talk.reply(
        "Seven tests had the wrong cent written down. I've listed them; please look before I change them."
    )
    talk.user("they are wrong, change them")
    talk.tool("bash", "412 passed in 52.81s", command="pytest -q")
    talk.reply("All green. `money.add_tax()` is now the only place that rounds.")
    talk.name("Checkout totals are off by a cent")
    talk.custom("session_exit", {"reason": "user"})
    return talk


def _request_ids() -> list[Session]:
    talk = Session("agent", "shop", "request-ids", age=days(3), model="anthropic/claude-sonnet-4-5")
    start = talk.user(
        "every log line of a request should carry the same id, also the ones of background tasks"
    )
    talk.tool(
        "bash", "structlog 25.4.0", command="pip show structlog | grep -i version", say="Which logger is it?"
    )
    talk.reply(
        "structlog has context variables for this; background tasks copy the context when they are made."
    )
    kept = talk.user("good. put the id into the response header as well")
    talk.tool("edit", "1 change", path="src/shop/middleware.py", old="return response", new="...")
    talk.compact(
        "## Goal\nOne id for each request, in all log lines.\n\n## Done\nMiddleware, header.", kept, 41_200
    )
    talk.user("and if the client sends one?")
    last = talk.reply(
        "Taken over if it is 8 to 64 characters of [A-Za-z0-9-]; anything else gets a fresh one."
    )
    child = Session(
        "agent", "shop", "request-ids-2", age=days(2) + hours(20), model="anthropic/claude-sonnet-4-5"
    )
    child.parent = talk
    child.title = "Request ids are in all log lines; a client's id is taken over when it is sane."
    for entry in (start, last):
        child.take(entry)
    child.user("now do the same for the queue workers")
    child.tool("grep", "src/shop/worker.py:18: def run(job):", pattern="def run", path="src")
    child.reply("The id travels in the job's headers and is set before `run()`. Workers log it too now.")
    return [talk, child]


TEST_LOGIN = """import pytest

@pytest.mark.parametrize("restart", [False, True])
async def test_session_survives_restart(client, server, restart):
    answer = await client.post("/login", json={"name": "ada", "password": "correct horse"})
    if restart:
        await server.restart()
    assert (await client.get("/me")).json() == {"name": "ada"}
"""
GREP_TOKEN = """src/shop/auth.py:31:    session_token = secrets.token_urlsafe(24)
src/shop/auth.py:33:    store.put_later(session_token)
src/shop/middleware.py:12:    session_token = request.cookies.get("session")"""
GREP_ROUND = """src/shop/cart.py:57:        return round(sum(line.tax for line in self.lines), 2)
src/shop/mail.py:88:    total = round(net * (1 + rate), 2)"""
PYTEST_FAIL = """F...F.....F..........F......................................................
E       assert {'error': 'not logged in'} == {'name': 'ada'}
4 failed, 76 passed in 24.11s"""
ORDER_TEST = '''"""Login must not answer before its token can be read."""


async def test_token_is_there_when_login_returns(client, slow_store):
    answer = await client.post("/login", json={"name": "ada", "password": "correct horse"})
    assert answer.status_code == 200
    assert slow_store.pending == []
'''
REDIS_STORE = '''class RedisStore:
    """Session tokens in Redis, with an expiry."""

    async def put(self, token: Token) -> None:
        await self.client.set(token.key, token.value, ex=token.seconds)
'''
