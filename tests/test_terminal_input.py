"""Parse the bytes of a terminal into messages, cut anywhere and damaged in every way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser
from textual.messages import TerminalSupportsSynchronizedOutput

from app.startup import terminal_input
from app.startup.terminal_input import PAUSE, TerminalInput
from tests.cases import cases

PIECES = [
    *(
        "\x1b",
        "\x1b[",
        "\x1b[<",
        "\x1b[?",
        "\x1bO",
        "\x1b]",
        "\x1bP",
        "\x1b_G",
        "\x1b\\",
        "\x07",
        "\x00",
        "\x7f",
    ),
    *(
        "M",
        "m",
        "u",
        "~",
        "R",
        "$y",
        "t",
        "c",
        "I",
        "A",
        "_",
        "<",
        "a",
        "é",
        "\U0001f600",
        ";",
        ":",
        "-1",
        "0",
    ),
    *(
        "1",
        "13",
        "27;",
        "48;",
        "48;0;0;0;0t",
        "200~",
        "201~",
        "2026",
        "55296",
        "1114112",
        "9" * 30,
        "9" * 5000,
    ),
]
KNOWN = "aé\x1b[A\x1b[1;5C\x1bOP\x1b[15~\x1b[97;5u\x1b[I\x1b[<0;3;4M\x1b[<0;3;4m\x1bx\x1b[?2026;2$yq".encode()


def comparable(messages):
    """Return the comparable parts of messages."""
    return [
        (
            type(event).__name__,
            getattr(event, "key", getattr(event, "text", None)),
            getattr(event, "x", None),
        )
        for event in messages
    ]


def read(*pieces, waits=True):
    """Return the messages for bytes that come one right after the other, followed by silence."""
    source = TerminalInput()
    events_read = [event for piece in pieces for event in source.take(piece, 0.0)]
    return comparable([*events_read, *(source.waited(PAUSE) if waits else ())])


def keys(*names):
    return [("Key", name, None) for name in names]


def paste(text):
    """Return the event of a paste, in which control characters are visible."""
    return [("Paste", text.replace("\x1b", "␛").replace("\x04", "␄"), None)]


def test_keys_mouse_and_answers_are_parsed():
    events_read = [*TerminalInput().take(KNOWN, 0.0)]
    names = [event.key for event in events_read if isinstance(event, events.Key)]
    assert names == ["a", "é", "up", "ctrl+right", "f1", "f5", "ctrl+a", "alt+x", "q"]
    other_types = [type(event) for event in events_read if not isinstance(event, events.Key)]
    assert other_types == [
        events.AppFocus,
        events.MouseDown,
        events.MouseUp,
        TerminalSupportsSynchronizedOutput,
    ]


def test_every_sequence_of_textual_is_its_key():
    for sequence in ANSI_SEQUENCES_KEYS:
        if sequence.startswith("\x1b\x1b"):
            continue  # Textual also reads it as Escape and a key
        parser = XTermParser()
        expected = comparable([*parser.feed(sequence)])
        assert not expected or read(sequence.encode()) == expected, repr(sequence)


@cases("size", [1, 2, 3, 5])
def test_input_in_pieces_of_any_size_gives_the_same_messages(size):
    data = KNOWN + b"\x1b[200~p\x1b[0m\xc3\xa9\xff\x1b[201~\x1b]11;rgb:1/1/1\x1b\\" + KNOWN
    assert read(*(data[start : start + size] for start in range(0, len(data), size))) == read(data)


@cases(
    ("sent", "typed"),
    [
        (b"\xffq", ["replacement_character", "q"]),
        (b"\xe9", ["replacement_character"]),
        (b"\xe9\x1b[A", ["replacement_character", "up"]),
        (b"caf\xe9 x", ["c", "a", "f", "replacement_character", "space", "x"]),
    ],
)
def test_bytes_that_are_no_utf8(sent, typed):
    assert read(sent) == keys(*typed)


@cases(
    "sent",
    [
        *(b"\x1b[1114112u", b"\x1b[:A", b"\x1b[97;1;1114112u", b"\x1b[55296u", b"\x1b[97;1;55296u"),
        *(b"\x1b[%su" % (b"9" * 5000), b"\x1b[<0;%s;1M" % (b"9" * 400), b"\x1b[48;0;0;0;0t"),
        *(
            b"\x1b[48;1;99999999;1;1t",
            b"\x1b[99x",
            b"\x1b[?1;2c",
            b"\x1b[3$y",
            b"\x1bO5P",
            b"\x1b[1;2;3;4;5;6;7;8;9;10;11;12;13;14q",
        ),
        *(b"\x1b]11;rgb:0/0/0\x07", b"\x1bP1$r0m\x1b\\", b"\x1bPq\x1b\\", b"\x1b_Gi=1;OK\x1b\\"),
        *(
            b"\x1b]52;c;%s\x07" % (b"q" * 100_000),
            b"\x1b[%s~" % (b"1" * 100_000),
            b"\x1b[2",
            b"\x1b]0;unfinished",
        ),
    ],
)
def test_an_unknown_sequence_is_dropped_whole(sent):
    source = TerminalInput()
    events_read = [
        event for start in range(0, len(sent), 999) for event in source.take(sent[start : start + 999], 0.0)
    ]
    assert comparable([*events_read, *source.waited(PAUSE), *source.take(b"j\x1b[B", PAUSE)]) == keys(
        "j", "down"
    )


def test_input_after_a_broken_sequence_is_read():
    assert read(b"\x1b[1;\rj") == keys("enter", "j")
    assert read(b"\x1b[1;\x1b[A") == keys("up")
    assert read(b"\x1b]0;title\x1b[A") == keys("up")


def test_escape_waits_for_the_rest_of_a_sequence():
    assert read(b"\x1b", waits=False) == []
    assert read(b"\x1b") == keys("escape")
    assert read(b"\x1b\x1b[A") == keys("escape", "up")
    assert read(b"\x1b", b"x") == keys("alt+x")
    for letter in "[O]P_":
        assert len(read(b"\x1b" + letter.encode())) == 1


def test_text_of_an_input_method_may_be_long():
    text = "長い文章を一度に入力する"
    sent = "\x1b[0;;" + ":".join(str(ord(event)) for event in text) + "u"
    events_read = [*TerminalInput().take(sent.encode(), 0.0)]
    assert "".join(event.character or "" for event in events_read if isinstance(event, events.Key)) == text


@cases(
    "text",
    [
        "plain",
        "",
        "a\x1b[0m\x04\r",
        "\x1b",
        "\x1b[201",
        "\x1b[200~",
        "\x1bpq",
        "ab\x1b[1114112u",
        "\x1b]0;t",
        "é\n\t",
    ],
)
def test_all_of_a_paste_is_text(text):
    sent = f"x\x1b[200~{text}\x1b[201~y".encode()
    expected = [*keys("x"), *paste(text), *keys("y")]
    assert read(sent) == expected
    for cut in range(1, len(sent)):
        assert read(sent[:cut], sent[cut:]) == expected


def test_a_very_long_paste_is_one_event():
    text = "line of text\x1b[31m\n" * 100_000
    sent = f"\x1b[200~{text}\x1b[201~".encode()
    assert read(*(sent[start : start + 4096] for start in range(0, len(sent), 4096))) == paste(text)


def test_the_rest_of_a_paste_beyond_the_limit_is_not_read_as_keys(monkeypatch):
    monkeypatch.setattr(terminal_input, "MOST_PASTED", 10)
    assert read(b"\x1b[200~123456", b"7890qqq", b"q\x1b[201~j") == [*paste("1234567890"), *keys("j")]


def test_a_paste_without_an_end_ends_after_a_pause():
    source = TerminalInput()
    assert not [*source.take(b"\x1b[200~text\x1b[20", 0.0)]
    assert not [*source.waited(PAUSE / 2)]
    assert comparable(source.waited(PAUSE)) == paste("text\x1b[20")
    assert comparable(source.take(b"j", 3.0)) == keys("j")


def test_each_piece_of_a_paste_restarts_the_wait():
    source = TerminalInput()
    assert not [*source.take(b"\x1b[200~one", 0.0)]
    assert not [*source.take(b"two", 0.9 * PAUSE)]
    assert not [*source.waited(1.5 * PAUSE)]
    assert comparable(source.take(b"\x1b[201~", 1.6 * PAUSE)) == paste("onetwo")


def test_the_rest_of_a_delayed_paste_is_not_read_as_keys():
    source = TerminalInput()
    assert not [*source.take(b"\x1b[200~one", 0.0)]
    assert comparable(source.waited(9.0)) == paste("one")
    assert comparable(source.take(b"\x04\r\x1b[201~j", 9.5)) == [*paste("\x04\r"), *keys("j")]
    assert comparable(source.take(b"\x1b[201~k", 9.6)) == keys("k")


@given(st.lists(st.one_of(st.sampled_from(PIECES).map(str.encode), st.binary(max_size=4)), max_size=12))
def test_the_parser_survives_any_input(pieces):
    source = TerminalInput()
    for piece in pieces:
        list(source.take(piece, 0.0))
    list(source.waited(PAUSE))
    list(source.waited(PAUSE))
    assert comparable(source.take(b"j\x1b[B", 2.0)) == keys("j", "down")


@cases(
    ("report", "key", "character"),
    [
        ("1089:1057:99;5", "ctrl+c", None),  # Ctrl with the Cyrillic letter in the place of C
        ("1089::99;5", "ctrl+c", None),
        ("1083::107;3", "alt+k", None),
        ("1089::99;;1089", "\u0441", "\u0441"),
        ("1089:1057:99;2;1057", "\u0421", "\u0421"),
        ("97::113;5", "ctrl+a", None),  # a French keyboard: its A is in the place of Q
        ("99:67;6", "ctrl+shift+c", None),
        ("97:65;2;65", "A", "A"),
    ],
)
def test_ctrl_keys_work_on_every_keyboard(report: str, key: str, character: str | None) -> None:
    (message,) = TerminalInput().take(f"\x1b[{report}u".encode(), 0)
    assert isinstance(message, events.Key)
    assert (message.key, message.character) == (key, character)
