"""The blog: dark mode tried three ways, a feed without a title slot, pictures."""

from __future__ import annotations

from app.demo.builder import Session, days, fork, hours, minutes

# One transparent pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def sessions() -> list[Session]:
    """Five sessions of omp and pi; one of them a fork of another project's."""
    return [_dark_mode(), _feed(), _pictures(), *_bucket_library()]


def _dark_mode() -> Session:
    talk = Session("omp", "site", "dark-mode", age=minutes(41), thinking="medium")
    talk.user("dark mode for the blog. follow the system, but let people choose")
    talk.tool("read", ":root { --ink: #1c1c1c; --paper: #fffdf8; }", path="src/styles/base.css")
    ask = talk.reply(
        "The colours are variables already, so the question is only where the choice lives: a class on "
        "`<html>`, "
        "`light-dark()` in CSS, or a second stylesheet. Which one?"
    )
    talk.label(ask, "three ways")
    talk.user("class on html")
    talk.tool("edit", "Edited 2 files", path="src/layouts/Base.astro", edits=[{"op": "insert", "after": 4}])
    flash = talk.reply(
        "Works, with a white flash on the first paint: the script runs after the body is drawn."
    )
    talk.label(flash, "flash!")
    talk.back_to(ask, "A class on <html>: works, but flashes white before the script runs.")
    talk.user("second stylesheet then")
    talk.reply("Two files with every colour twice. It does not flash, but they will drift apart.")
    talk.back_to(ask)
    talk.user("light-dark() — what does it need?")
    talk.tool(
        "web_search",
        "light-dark(): Baseline 2024. Needs `color-scheme: light dark` on :root.",
        query="css light-dark() browser support",
    )
    talk.tool(
        "edit", "Edited src/styles/base.css (+14 -9)", path="src/styles/base.css", edits=[{"op": "replace"}]
    )
    good = talk.reply(
        "One file, no flash, 14 lines. The switch sets `color-scheme` on `<html>` and remembers it. "
        "Browsers from "
        "before 2024 get the light colours."
    )
    talk.label(good, "this one")
    talk.name("Dark mode")
    talk.user("ship it. also check contrast of the code blocks")
    talk.tool(
        "bash", "comment #6b7a8f on #15191f: 4.1:1  FAIL (needs 4.5)", command="npx pa11y-ci", failed=True
    )
    talk.reply(
        "Comments in code blocks were too faint in the dark. `#8595ab` gives 6.0:1; all pairs pass now."
    )
    return talk


def _feed() -> Session:
    talk = Session("omp", "site", "feed", age=days(6), model="google/gemini-2.5-pro", dialect="no slot")
    talk.title = "RSS feed shows yesterday's date"
    talk.user("every post in the feed is dated one day early for readers in Japan")
    talk.tool("read", "pubDate: new Date(post.date)", path="src/pages/rss.xml.ts")
    talk.reply(
        "Dates without a time are taken as midnight UTC, and then printed in local time. I'll keep them "
        "as dates."
    )
    talk.user("and the other way round, in California?")
    talk.reply(
        "Same cause: there they would be one day early in the list, not in the feed. Both use `day()` now."
    )
    return talk


def _pictures() -> Session:
    talk = Session("pi", "site", "pictures", age=days(9))
    talk.user("what is wrong with this picture on the about page?", image=PIXEL)
    talk.reply("It is a single transparent pixel: the build wrote the placeholder and never the real file.")
    talk.user("find all pictures without alt text while you are at it")
    talk.tool("bash", "src/posts/garden.md:14\nsrc/posts/bread.md:31", command="rg -n '!\\[\\]\\(' src/posts")
    talk.reply("Two: the raised bed in *garden*, the crumb in *bread*. I've proposed texts in both files.")
    return talk


def _bucket_library() -> list[Session]:
    """A session on a library, and a fork of it in another project."""
    talk = Session("pi", "site", "comments", age=days(1) + hours(6), model="openai/gpt-5.1-codex")
    talk.user("comments without an account, without spam. ideas?")
    ideas = talk.reply(
        "Proof of work in the browser, a queue for first-time names, and a rate limit by address."
    )
    talk.label(ideas, "ideas")
    talk.user("start with the rate limit")
    talk.reply("Then take the shop's token bucket; it knows nothing of its framework.")
    child = fork(talk, ideas, "uploads-limit", age=hours(20), project="tidepool")
    child.user(
        "same question for uploads in tidepool: how do we keep one client from taking all the bandwidth?"
    )
    child.reply(
        "A bucket for each client, in bytes instead of requests. The library fits; only the unit changes."
    )
    return [talk, child]
