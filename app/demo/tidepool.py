"""A file-sync tool in Rust: a parser that panics, uploads that resume, a man page."""

from __future__ import annotations

from app.demo.builder import Session, days, hours, minutes


def sessions() -> list[Session]:
    """Three sessions, one each of pi, omp and indusagi."""
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
        "Plan:\n\n1. the client asks `HEAD /blob/{hash}` for the number of bytes the server has\n2. it "
        "sends the "
        "rest with `Content-Range`\n3. the server checks the hash at the end, as now\n\nOld servers "
        "answer 404 to "
        "step 1, and the client begins at zero as today."
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
