"""``leafmark doctor --report``."""

from __future__ import annotations

from app import __version__
from tests.factory import chain, write_session


def test_one_file_has_what_a_bug_report_needs_and_no_secrets(run, home, tmp_path, monkeypatch):
    monkeypatch.setenv("USER", "jolanda")
    key = "sk-ant-api03-" + "Ab3dE6gH9" * 10
    write_session(home / ".pi/agent/sessions/--work--/1.jsonl", *chain("private words"), "{broken")
    config, state = home / ".config/leafmark/config.toml", home / ".local/state/leafmark/crash.log"
    for path, text in (
        (config, f'ascii = 3\nsummary_command = "run --key {key}"\n'),
        (state, "Traceback\n  in /home/jolanda/x\x1b[2J\nValueError"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = run("doctor", "--report")
    assert (done.code, done.err) == (0, "")
    report = tmp_path / "leafmark-report.txt"
    assert done.out == f"{report}\nRead the file before you share it.\n"
    text = report.read_text()
    for part in (
        f"leafmark {__version__}, Python 3.",
        "textual 8.",
        "~/.pi/agent/sessions",
        "skipped (1)",
        "ascii: must be true or false",
        "ValueError",
        "[redacted: ",
    ):
        assert part in text, part
    for secret in (str(home), "jolanda", key, "private words", "\x1b"):
        assert secret not in text


def test_a_report_replaces_no_file(run, home, tmp_path):
    (tmp_path / "mine.txt").write_text("kept")
    done = run("doctor", "--report", "mine.txt")
    assert (done.code, done.out) == (3, "")
    assert done.err == "leafmark: mine.txt: is there already, and is kept\n"
    assert (tmp_path / "mine.txt").read_text() == "kept"
    assert run("doctor", "--report", "-").out.startswith("leafmark ")
    assert run("doctor", "--report", "no-folder/x.txt").code == 3
    assert run("doctor", "--report", "--json").code == 2


def test_half_a_secret_does_not_begin_what_a_report_has_of_a_long_file(run, home):
    log = home / ".local/state/leafmark/crash.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    token = "ghp_" + "a1B2c3D4e5" * 4
    log.write_text(token + "x\n" + "y" * 99_969 + "\n")
    text = run("doctor", "--report", "-").out
    assert "yyyy" in text
    assert token[20:] not in text


def test_half_a_secret_does_not_end_what_a_report_has_of_a_long_reason(run, home):
    config, token = home / ".config/leafmark/config.toml", "ghp_" + "a1B2c3D4e5" * 4
    config.parent.mkdir(parents=True)
    for length in range(20, 180, 10):
        config.write_text(f'"{"x" * length} {token}" = 1\n')
        report = run("doctor", "--report", "-").out
        assert "  problem: " in report
        assert token[:8] not in report
