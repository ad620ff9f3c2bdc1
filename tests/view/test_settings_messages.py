"""The messages about problems with the settings."""

from __future__ import annotations

from app.view.notifications import settings_messages

FILE = "/home/me/.config/leafmark/config.toml"


def test_each_problem_has_a_message_with_its_number() -> None:
    assert settings_messages([], FILE) == []
    assert settings_messages([f"{FILE}: keys: must be a table"], FILE) == [
        "config.toml: keys: must be a table"
    ]
    assert settings_messages(
        [f"{FILE}: ascii: must be true or false", "keys: no key is called 'x'"], FILE
    ) == [
        "config.toml: ascii: must be true or false (problem 1 of 2)",
        "config.toml: keys: no key is called 'x' (problem 2 of 2)",
    ]
