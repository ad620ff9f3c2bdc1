"""The user's settings, and the messages about invalid ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.settings import Settings, read_settings, settings_file
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "LEAFMARK_CONFIG_DIR": str(tmp_path / "config")}


def read(env: dict[str, str], text: str | bytes) -> Settings:
    os.makedirs(os.path.dirname(settings_file(env)), exist_ok=True)
    with open(settings_file(env), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return read_settings(env)


def test_without_a_file_all_settings_are_defaults(env: dict[str, str], tmp_path: Path) -> None:
    settings = read_settings(env)
    assert (settings.ask_before_trash, settings.summary_command) == (True, ())
    assert (settings.keys, settings.problems) == ({}, ())
    assert list(tmp_path.iterdir()) == []


def test_all_that_can_be_set(env: dict[str, str]) -> None:
    settings = read(
        env,
        """
        ask_before_trash = false
        summary_command = ["llm", "-m", "a b"]
        images = "blocks"

        [keys]
        "session.trash" = "ctrl+d, delete"
        session.pin = ["p", "ctrl+p"]
        "app.quit" = ""
        """,
    )
    assert settings.problems == ()
    assert settings.ask_before_trash is False
    assert settings.summary_command == ("llm", "-m", "a b")
    assert settings.images == "blocks"
    assert settings.keys == {"session.trash": "ctrl+d,delete", "session.pin": "p,ctrl+p", "app.quit": ""}


def test_a_command_may_be_one_string(env: dict[str, str]) -> None:
    assert read(env, "summary_command = 'llm -m \"a b\"'").summary_command == ("llm", "-m", "a b")
    assert read(env, "summary_command = ''").summary_command == ()


@cases(
    ("text", "reason"),
    [
        ("ask_before_trash = 1", "ask_before_trash: must be true or false"),
        ("ascii = 'yes'", "ascii: must be true or false"),
        ("images = 'sixel'", 'images: must be "auto" or "off" or "blocks" or "kitty"'),
        ("images = true", 'images: must be "auto"'),
        ("images = ['auto']", 'images: must be "auto"'),
        ("summary_command = 3", "summary_command: must be a command"),
        ("summary_command = ['a', 3]", "summary_command: must be a command"),
        ("summary_command = ['']", "summary_command: is no command"),
        ("summary_command = 'it''s'", "is not TOML"),
        ('summary_command = "it\'s"', "summary_command: a quote is not closed"),
        ("keys = 3", "keys: must be a table"),
        ('[keys]\n"session.pin" = 3', "keys.session.pin: must be keys"),
        ("ask_before_trsh = true", "ask_before_trsh: there is no such setting"),
        ('"bad\\u001b[31m" = 1', "bad␛[31m: there is no such setting"),
    ],
)
def test_an_invalid_setting_is_reported_and_the_others_apply(
    env: dict[str, str], text: str, reason: str
) -> None:
    good = "" if "TOML" in reason else "summary_command = 'good'\n" * (not text.startswith("summary"))
    settings = read(env, good + text)
    [problem] = settings.problems
    assert problem.startswith(settings_file(env) + ": ")
    assert reason in problem
    assert "\x1b" not in problem
    assert settings.ask_before_trash is True
    assert settings.summary_command == (("good",) if good else ())


def test_a_command_with_very_many_keys_keeps_its_own(env: dict[str, str]) -> None:
    """Each key is compared with the keys of all commands."""
    settings = read(env, f'[keys]\nsession.pin = "{",".join(map(str, range(20_000)))}"\nsession.new = "n"')
    assert settings.keys == {"session.new": "n"}
    [problem] = settings.problems
    assert problem.endswith("keys.session.pin: has more than 50 keys")


def test_one_invalid_key_does_not_affect_the_others(env: dict[str, str]) -> None:
    settings = read(env, '[keys]\nsession.pin = 3\nsession.new = "n"\n"view.back" = ["escape", 1]')
    assert settings.keys == {"session.new": "n"}
    assert len(settings.problems) == 2


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xfe", "is not UTF-8"),
        (b"= 1", "is not TOML (line 1): invalid statement; the defaults are used"),
        (b"keys = " + b"[" * 100_000, "is not TOML"),
        (b"ascii = " + b"9" * 5_000, "is not TOML: a number has too many digits; the defaults are used"),
        (b"#" * (1 << 20) + b"\n", "cannot be read: longer than 1,048,576 bytes"),
    ],
)
def test_an_unreadable_file_sets_nothing(env: dict[str, str], data: bytes, reason: str) -> None:
    settings = read(env, data)
    [problem] = settings.problems
    assert reason in problem
    assert settings.keys == {}


def test_a_byte_order_mark_is_ignored(env: dict[str, str]) -> None:
    assert read(env, b"\xef\xbb\xbfask_before_trash = false").ask_before_trash is False


def test_a_folder_in_place_of_the_file_is_reported(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "config" / "config.toml").mkdir(parents=True)
    [problem] = read_settings(env).problems
    assert "cannot be read" in problem


def test_the_users_setting_overrides_the_locale(env):
    plain = {"LANG": "C"}
    assert read(env, "").draws_ascii(plain) is True
    assert read(env, "").draws_ascii({"LANG": "de_DE.UTF-8"}) is False
    assert read(env, "ascii = false").draws_ascii(plain) is False
    assert read(env, "ascii = true").draws_ascii({}) is True


@pytest.mark.parametrize("text", ["", "ascii = false"])
def test_an_encoding_without_the_glyphs_means_ascii(env, text):
    settings = read(env, text + '\nimages = "blocks"')
    assert settings.draws_plain({}, "utf-8") is False
    assert settings.draws_plain({}, "latin-1") is True
    assert settings.draws_images({}, "utf-8") == "blocks"
    assert settings.draws_images({}, "latin-1") == ""
