"""A chat bot for the weather: texts in many scripts, some of them hostile, and an indus transcript."""

from __future__ import annotations

from app.demo.builder import Session, days, hours


def sessions() -> list[Session]:
    """Two sessions: pi with difficult text, and a transcript of the new indusagi."""
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
