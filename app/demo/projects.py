"""Example sessions of five small projects."""

from __future__ import annotations

from app.demo.builder import Session, days, fork, hours, minutes

# One transparent pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def blog() -> list[Session]:
    """The blog: dark mode tried three ways, a feed without a title slot, pictures."""
    return [_dark_mode(), _feed(), _pictures(), *_bucket_library()]


def _dark_mode() -> Session:
    talk = Session("omp", "site", "dark-mode", age=minutes(41), thinking="medium")
    talk.user("dark mode for the blog. follow the system, but let people choose")
    talk.tool("read", ":root { --ink: #1c1c1c; --paper: #fffdf8; }", path="src/styles/base.css")
    ask = talk.reply(
        "The colours are variables already, so the question is only where the choice lives: a class on "
        "`<html>`, `light-dark()` in CSS, or a second stylesheet. Which one?"
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
        "One file, no flash, 14 lines. The switch sets `color-scheme` on `<html>` and remembers it. Browsers "
        "from before 2024 get the light colours."
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


def file_sync() -> list[Session]:
    """A file-sync tool in Rust: a parser that panics, uploads that resume, a man page."""
    return [_parser(), _uploads(), _man_page()]


def _parser() -> Session:
    talk = Session("pi", "tidepool", "parser", age=hours(3))
    talk.custom("git-checkpoint", {"branch": "main", "commit": "4be1f0c"})
    talk.user("tidepool panics on an empty config file")
    talk.shell("printf '' | cargo run -q -- check -", "thread 'main' panicked at src/config.rs:41:30", 101)
    talk.tool("read", "let first = lines.next().unwrap();", path="src/config.rs", offset=35, limit=20)
    root = talk.reply(
        "`lines.next().unwrap()`: an empty file has no first line. What should it mean: an error, or "
        "defaults?"
    )
    talk.user("an error with the file name in it")
    talk.tool("bash", "error[E0382]: borrow of moved value: `path`", command="cargo test config", failed=True)
    talk.tool("bash", "test result: ok. 23 passed", command="cargo test config")
    talk.reply("`tidepool: empty.toml: the file is empty`, exit code 2.")
    talk.back_to(root)
    talk.notice("team-rules", "Config errors must name the line and suggest a fix.")
    talk.user("actually defaults are friendlier")
    talk.tool("edit", "Edited src/config.rs (+5 -1)", path="src/config.rs", oldText="unwrap()", newText="...")
    friendlier = talk.reply("An empty file now means the defaults; `tidepool check` says so in one line.")
    talk.label(friendlier, "decided")
    talk.shell("printf '' | cargo run -q -- check -", "empty.toml: nothing set, using the defaults", 0)
    return talk


def _uploads() -> Session:
    talk = Session("omp", "tidepool", "uploads", age=hours(26), model="anthropic/claude-opus-4-5")
    talk.other("mode_change", mode="plan", data={"planFile": "plans/resume-uploads.md"})
    talk.user("an upload that breaks off has to start again at zero. make it resume")
    talk.tool(
        "task",
        "scout: the protocol has no offset field; the server keeps partial files for one hour",
        agent="scout",
        task="How do uploads work today, client and server?",
        think="A scout can read both sides while I look at the tests.",
    )
    plan = talk.reply(
        "Plan:\n\n1. the client asks `HEAD /blob/{hash}` for the number of bytes the server has\n2. it sends "
        "the rest with `Content-Range`\n3. the server checks the hash at the end, as now\n\nOld servers "
        "answer 404 to step 1, and the client begins at zero as today."
    )
    talk.label(plan, "plan v1")
    talk.other("mode_change", mode="none")
    talk.user("what if the file changed in between?")
    talk.reply("Then its hash changed, and so did the URL. The half-sent old one expires after an hour.")
    talk.other("ttsr_injection", injectedRules=["no-unwrap-in-library-code"])
    talk.user("go")
    talk.tool("bash", "test result: ok. 131 passed; 0 failed", command="cargo test --workspace")
    talk.reply("Done on both sides. A 2 GB upload cut at 1.4 GB now sends only the last 600 MB.")
    scout = Session(
        "omp", "tidepool", "scout", age=hours(26) + minutes(4), model="anthropic/claude-sonnet-4-5"
    )
    scout.user("How do uploads work today, client and server?")
    scout.reply("The protocol has no offset field. The server keeps partial files for one hour.")
    talk.artifacts["0-scout.jsonl"] = scout
    talk.artifacts["1.bash.log"] = "running 131 tests\ntest result: ok. 131 passed; 0 failed\n"
    return talk


def _man_page() -> Session:
    talk = Session("indusagi", "tidepool", "man-page", age=days(5), model="google/gemini-2.5-pro")
    talk.user("write a man page from the --help output")
    talk.tool("bash", "Usage: tidepool [OPTIONS] <COMMAND>", command="cargo run -q -- --help")
    draft = talk.reply(
        "`tidepool.1` is written; `man ./tidepool.1` shows it. I left EXAMPLES for you to choose."
    )
    talk.label(draft, "draft")
    talk.user("examples: first sync, dry run, two machines")
    talk.reply("Added all three, each with the output one sees.")
    talk.back_to(draft)
    talk.user("instead of man: could --help page itself?")
    talk.reply("It can, through $PAGER when it is a terminal. Twelve lines.")
    talk.name("Man page for tidepool")
    return talk


def dotfiles() -> list[Session]:
    """Shell and editor settings; one session file here is damaged."""
    return [_slow_shell(), _editor()]


def _slow_shell() -> Session:
    talk = Session("pi", "dotfiles", "slow-shell", age=days(12), model="ollama/qwen3-coder")
    talk.user("zsh takes two seconds to start. why?")
    talk.tool("bash", "1.62s nvm.sh\n0.21s compinit\n0.04s prompt", command="zsh -ic 'zprof' | head")
    talk.reply("nvm alone takes 1.6 of them. It can be loaded when `node` is first called.")
    # A line of a machine that was switched off while it wrote.
    talk.damaged('{"type":"message","id":"5e0c11aa","parentId":"0b9d2f7')
    talk.user("do that. and compinit?")
    talk.tool("edit", "Edited zshrc (+8 -2)", path="zshrc", oldText="compinit", newText="compinit -C")
    talk.reply("Start is at 0.12 s. The completion cache is rebuilt once a day.")
    return talk


def _editor() -> Session:
    talk = Session("indusagi", "dotfiles", "editor", age=days(20) + hours(5))
    talk.user("move my vim config to lua, but keep every key")
    talk.tool("read", '" 214 lines of vimscript', path="vimrc")
    talk.reply("214 lines, 61 mappings. I'll keep a list of them and check it at the end.")
    talk.user("ok")
    talk.tool("write", "Wrote 188 lines", path="init.lua", content="vim.g.mapleader = ' '\n")
    talk.tool("bash", "61 of 61 mappings present", command="nvim --headless -l check_maps.lua")
    talk.reply("All 61 mappings are there.")
    talk.name("vimrc to init.lua")
    return talk


def weather_bot() -> list[Session]:
    """A chat bot for the weather: texts in many scripts, some of them hostile, and an indus transcript."""
    return [_many_scripts(), _forecast()]


def _many_scripts() -> Session:
    talk = Session("pi", "weather-bot", "scripts", age=days(4))
    talk.user(
        "el bot tiene que responder en el idioma de la pregunta 🌦️ — test it with 日本語, العربية and emoji"
    )
    talk.tools(
        ("bash", {"command": "bot ask '明日の天気は？'"}, "明日は晴れ、最高気温は18度です。☀️", False),
        ("bash", {"command": "bot ask 'ما حالة الطقس؟'"}, "الطقس مشمس اليوم، ٢٤ درجة.", False),
        ("bash", {"command": "bot ask '👩‍👩‍👧‍👦 🏖️?'"}, "Beach weather: 27 °C, light wind 🏄🏽‍♀️", False),
    )
    talk.reply(
        "All three come back in the language of the question. 家族絵文字 (👩‍👩‍👧‍👦) are kept in one piece."
    )
    nasty = talk.user(
        "now the nasty ones: \x1b[31mred\x1b[0m, a title \x1b]0;pwned\x07, [bold]markup[/bold], "
        "\u202egnp.exe\u202c"
    )
    talk.tool(
        "bash",
        "\x1b[2J\x1b[1;1Hthis would have cleared your screen\r\nand \x9b31m this coloured it",
        command='bot ask "$(cat nasty.txt)"',
        failed=True,
    )
    talk.reply(
        "The bot sent the escape sequences back as they came. They are removed now; `[bold]` was always safe."
    )
    talk.label(nasty, "escape 🧨 tests")
    talk.name("语言 🌍 languages and\nhostile \x1b[7mtext\x1b[0m")
    return talk


def _forecast() -> Session:
    talk = Session("indusagi", "weather-bot", "forecast", age=days(8) + hours(1), dialect="transcript")
    talk.user("cache the forecast for ten minutes so that we stay inside the free tier")
    talk.tool(
        "read", "async def forecast(city): ...", path="bot/forecast.py", say="Looking at how it is called."
    )
    ask = talk.reply(
        "One call for each question, also for the same city. A dict with times would do; so would sqlite."
    )
    talk.user("dict")
    talk.reply("Done: 1,900 calls a day became about 140. Lost on restart, which is fine for ten minutes.")
    talk.back_to(ask)
    talk.user("sqlite, so that it survives a restart")
    talk.tool("write", "Wrote 40 lines", path="bot/cache.py", content="import sqlite3\n")
    talk.reply("Same numbers, and a restart no longer asks for every city again.")
    return talk


def old_api() -> list[Session]:
    """A project whose folder is gone: an old session without ids, and one of omp."""
    old = Session("pi", "old-api", "cron", age=days(212), dialect="v1")
    old.user("port the nightly cron job from bash to python")
    old.tool("read", "#!/bin/bash\nset -e\npg_dump ...", path="cron/nightly.sh")
    old.reply(
        "Dump, compress, upload, prune. I'll keep the order and stop at the first failure as `set -e` did."
    )
    old.tool("write", "Wrote 62 lines", path="cron/nightly.py", content="import subprocess\n")
    old.tool("bash", "dump 41 MB, upload ok, pruned 3", command="python cron/nightly.py --dry-run")
    old.reply("The dry run matches last night's log.")
    docs = Session("omp", "old-api", "docs", age=days(95))
    docs.user("document the endpoints we still serve, from the access log of the last month")
    docs.tool("bash", "18 endpoints, 3 of them deprecated", command="python tools/endpoints.py access.log")
    docs.reply("18 endpoints; three were announced as gone two years ago and still get 40 calls a day.")
    docs.title = "Endpoints still in use"
    return [old, docs]
