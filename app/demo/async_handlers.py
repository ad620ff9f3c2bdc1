"""One long session: a day of moving handlers one by one, with a compaction in the middle."""

from __future__ import annotations

from app.demo.builder import Entry, Session, days, hours

AREAS = (
    "orders",
    "cart",
    "search",
    "account",
    "reviews",
    "stock",
    "shipping",
    "invoices",
    "coupons",
    "gifts",
)
VERBS = ("list", "show", "create", "update", "delete")
REMARKS = (
    "No surprises here.",
    "It called the mail server in the middle of a transaction; that now happens after the commit.",
    "The query ran once for each row. One join instead: 41 ms became 3 ms.",
    "Its test slept for two seconds. It waits for the event now.",
    "Nothing calls this since March. I left it, but marked it.",
    "The old code swallowed a timeout; it is answered with 504 now.",
)


def sessions() -> list[Session]:
    """The one long session, about 400 entries."""
    talk = Session("pi", "shop", "async", age=days(2) + hours(3))
    talk.user(
        "move all request handlers to async, one at a time, with a commit for each. stop when something "
        "is odd"
    )
    talk.tool(
        "bash", "50 handlers in 10 modules", command="python tools/handlers.py --count", say="Counting first."
    )
    talk.reply(
        "50 handlers in 10 modules. I'll go module by module and run that module's tests after each step."
    )
    talk.name("Move every handler to async")
    for number, area in enumerate(AREAS):
        kept = _module(talk, number, area)
        if number == 4:
            talk.compact(SUMMARY, kept, 168_400)
            talk.thinking("low")
    talk.user("how much faster is it all together?")
    talk.tool(
        "bash",
        "before: 412 req/s, p95 188 ms\nafter:  1,120 req/s, p95 61 ms",
        command="python bench/load.py --compare main",
    )
    end = talk.reply("2.7 times the requests, a third of the waiting. Nothing else changed in the answers.")
    talk.label(end, "numbers for the changelog")
    return [talk]


def _module(talk: Session, number: int, area: str) -> Entry:
    """All handlers of one module; gives the prompt it began with."""
    begin = talk.user(f"next: {area}" if number else f"begin with {area}", pause=1_900 if number else 0)
    for index, verb in enumerate(VERBS):
        name = f"{verb}_{area}"
        talk.tool(
            "read", f"def {name}(request): ...", path=f"src/shop/handlers/{area}.py", offset=20 * index + 1
        )
        talk.tool(
            "edit",
            f"Edited src/shop/handlers/{area}.py (+9 -8)",
            path=f"src/shop/handlers/{area}.py",
            oldText=f"def {name}(request):",
            newText=f"async def {name}(request):",
        )
        failed = (number * 5 + index) % 11 == 7
        talk.tool(
            "bash",
            "1 failed, 11 passed in 1.92s" if failed else f"{8 + index} passed in 1.4{index}s",
            command=f"pytest tests/handlers/test_{area}.py -q -k {verb}",
            failed=failed,
        )
        if failed:
            talk.tool(
                "bash", "12 passed in 1.88s", command=f"pytest tests/handlers/test_{area}.py -q -k {verb}"
            )
        talk.reply(f"`{name}` is async. {REMARKS[(number + index) % len(REMARKS)]}")
    last = talk.reply(f"{area}: five of five, committed one by one.")
    if number in (1, 6):
        talk.label(last, f"{area} done")
    return begin


SUMMARY = """## Goal
Move all 50 request handlers of the shop to async, one commit each; stop when something is odd.

## Done
orders, cart, search, account, reviews: 25 of 50. All tests of these modules pass.

## Found on the way
- mail was sent inside a transaction (orders)
- one query a row in search, replaced by a join
- two handlers nobody calls, marked

## Next
stock, shipping, invoices, coupons, gifts, then measure against main.
"""
