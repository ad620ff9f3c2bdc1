"""Each rule in every place where a text can stand, near misses, ordinary texts, homes and names."""

from __future__ import annotations

import json
import sys
import sysconfig
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.redact import Personal, Redactor, Replacement, scanner, user_in
from app.redact.scanner import secrets_in
from tests.cases import cases
from tests.redact.secret_texts import EXAMPLES, FIELDS, NEAR_MISSES, SECRETS

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
REAL = SHARED / "real"
GIVEN = SHARED / "cases" / "secrets.json"
EACH = cases(("kind", "example"), EXAMPLES.items(), ids=list(EXAMPLES))


def redact(text: str) -> tuple[str, list[Replacement]]:
    """Return the text without its secrets, and the replacements."""
    redactor = Redactor()
    return redactor.text(text), redactor.replacements


def secret_of(example: str) -> str:
    """Return the secret in an example."""
    data = example.encode()
    ((begin, end, _),) = secrets_in(data)
    return data[begin:end].decode()


@EACH
def test_a_rule_replaces_its_example(kind: str, example: str) -> None:
    text, replacements = redact(example)
    assert text == example.replace(secret_of(example), f"[redacted: {kind}]")
    assert [found.kind for found in replacements] == [kind]


@cases(("text", "secret"), SECRETS)
def test_secrets_of_every_kind_are_replaced(text: str, secret: str) -> None:
    redacted, replacements = redact(text)
    assert secret not in redacted
    assert replacements


@cases(("text", "secret"), SECRETS)
def test_secrets_in_json_in_the_middle_of_a_long_line_are_replaced(text: str, secret: str) -> None:
    padding = "and so on " * 800
    redacted, replacements = redact(f"{padding}{json.dumps(json.dumps(text))} {padding}")
    assert secret not in redacted
    assert replacements
    assert redacted.startswith(padding)
    assert redacted.endswith(padding)


@cases(("value", "secret"), FIELDS)
def test_secrets_in_fields_are_replaced(value: Any, secret: object) -> None:
    redactor = Redactor()
    redacted = redactor.value(value)
    assert json.dumps(secret).strip('"') not in json.dumps(redacted)
    assert redactor.replacements


@cases("text", NEAR_MISSES)
def test_texts_that_look_like_secrets_stay(text: str) -> None:
    assert redact(text) == (text, [])


@pytest.mark.skipif(not GIVEN.is_file(), reason="the given texts are not beside this checkout")
def test_of_the_given_secrets_97_of_101_are_replaced_and_no_near_miss() -> None:
    given_texts = json.loads(GIVEN.read_text().replace("\\u00b7", "").replace("·", ""))
    kept = [case["name"] for case in given_texts["secrets"] if case["secret"] in redact(case["text"])[0]]
    assert len(kept) <= len(given_texts["secrets"]) - 97, kept
    near = [case["text"] for case in given_texts["near_misses"]]
    assert [redact(text)[0] for text in near] == near


def unicode_escaped(text: str) -> str:
    """Return `text` with each second character as an escape of JSON."""
    return "".join(f"\\u{ord(char):04x}" if number % 2 else char for number, char in enumerate(text))


@EACH
def test_a_secret_is_replaced_in_every_place(kind: str, example: str) -> None:
    secret = secret_of(example)
    in_json = json.dumps({"output": f"a\n{example}\nb"})
    places = {
        "plain": f"before {example} after",
        "own line": f"first\n{example}\nlast",
        "in brackets": f"({example})",
        "behind a letter that is not ASCII": f"é {example} é",
        "yaml": f"stage:\n  - note: {example}\n    next: 1\n",
        "header": f"GET / HTTP/1.1\r\nHost: x\r\nX-Note: {example}\r\n\r\n",
        "json": in_json,
        "json in json": json.dumps({"arguments": in_json}),
        "json in json in json": json.dumps([json.dumps({"arguments": in_json})]),
        "escaped slashes": in_json.replace("/", "\\/"),
        "each second character escaped": '{"output": "' + unicode_escaped(example) + '"}',
        "numbered lines": "\n".join(f"  {line}" for line in example.split("\n")),
    }
    for name, text in places.items():
        redacted, replacements = redact(text)
        assert f"[redacted: {kind}]" in redacted, name
        assert len(replacements) == 1, name
        assert secret not in redacted, name
        assert len(secret) < 20 or secret[4:-4] not in redacted, name
        if name.startswith("json"):
            json.loads(redacted)


@EACH
def test_a_secret_is_replaced_in_every_field_of_an_entry(kind: str, example: str) -> None:
    secret = secret_of(example)
    entry = {
        "type": "message",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "text", "text": example},
                {"type": "thinking", "thinking": example},
                {
                    "type": "toolCall",
                    "id": "c",
                    "name": "bash",
                    "arguments": {"a": [{example: 1}], "b": example},
                },
            ],
        },
    }
    redactor = Redactor()
    redacted = json.dumps(redactor.value(entry), ensure_ascii=False)
    assert len(redactor.replacements) == 4
    assert json.dumps(secret, ensure_ascii=False)[1:-1] not in redacted


@cases(
    ("name", "value"),
    [
        ("DEPLOY_KEY", "correct-horse-battery"),
        ("password", "hunter2!"),
        ("apiKey", "9f8e7d6c5b4a3928"),
        ("client_secret", "9f8e7d6c5b4a3928"),
        ("Authorization", "Bearer 9f8e7d6c5b4a"),
    ],
)
def test_a_value_is_replaced_because_of_its_name(name: str, value: str) -> None:
    redactor = Redactor()
    ((_, redacted),) = redactor.value({name: value}).items()
    assert "[redacted: " in redacted
    assert value.rpartition(" ")[2] not in redacted
    assert redactor.value({"name": value}) == {"name": value}
    assert redactor.value([{"name": name, "value": value}]) == [{"name": name, "value": redacted}]
    fields = {"tokens": "128", "token": "$TOKEN", "key": "ArrowDown", "password": "********", "tokenCount": 5}
    assert redactor.value(fields) == fields


def test_data_of_an_image_stay_and_a_secret_that_claims_to_be_such_data_does_not() -> None:
    data = "iVBORw0KGgo" + "A" * 500 + "AKIAZ7Q3MNBR4TYW2LPK"
    redactor = Redactor()
    assert redactor.value([{"type": "image", "data": data}]) == [{"type": "image", "data": data}]
    for text in ("AKIAZ7Q3MNBR4TYW2LPK", "long " * 100 + "AKIAZ7Q3MNBR4TYW2LPK"):
        assert "AKIA" not in redactor.value({"type": "image", "data": text})["data"]


@cases(
    "text",
    [
        "DB_PASSWORD=swordfish",
        "mysql --password=swordfish shop",
        'TOKEN="abcdefghijkl"',
        "GITHUB_TOKEN: 'abcdefgh1234'",
        'export API_KEY="abcdefgh-ijkl" # mine',
        "password: hunter2",
        "curl --password=hunter2 https://x",
        "//registry.npmjs.org/:_authToken=9f8e7d6c-5b4a-3928",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzKEY",
        '{"password": "correct horse battery 7"}',
        "curl -H 'Authorization: Basic c2hvcDpzM2NyM3Q='",
        "mysql://root:1234@localhost/db",
        "MY_SECRET=pässwört-im-klartext",
    ],
)
def test_an_assignment_is_replaced(text: str) -> None:
    redacted, replacements = redact(text)
    assert len(replacements) == 1, redacted
    assert replacements[0].secret not in redacted


@cases(
    "text",
    [
        "token = get_token(user)",
        "password = os.environ['DB_PASSWORD']",
        "PASSWORD=${PASSWORD} SECRET=<secret> KEY=%KEY%",
        "The key: a token is a word, and the password: must be long.",
        "type Props = { token: string; secret?: string; apiKey: string | undefined }",
        "max_tokens: 4096, tokens=128, EOS_TOKEN = 50256",
        "password: passwordSchema.parse(input.password)",
        'for key in keys: print(key="value", token=token)',
        "postgres://user:password@localhost/db and http://[::1]:8080/@x",
    ],
)
def test_ordinary_code_and_prose_stay(text: str) -> None:
    assert redact(text) == (text, [])


@given(st.text(max_size=200), st.sampled_from(sorted(EXAMPLES.values())))
def test_redacting_never_raises_and_finds_the_example_behind_any_text(before: str, example: str) -> None:
    text, replacements = redact(f"{before}\n\n{example}\n")
    assert replacements
    assert secret_of(example) not in text


def test_lone_surrogates_and_other_text_stay_as_they_are() -> None:
    text = "\ud83d é \\ud83d password=hunter2\udc00"
    assert redact(text)[0].startswith("\ud83d é \\ud83d password=[redacted: password]")
    assert redact("\ud800 only")[0] == "\ud800 only"


@lru_cache(maxsize=2)
def library_sources(most: int) -> bytes:
    """Return at least `most` bytes of Python's library: code with much prose in it."""
    folder = Path(sysconfig.get_path("stdlib"))
    data = bytearray()
    for path in sorted(folder.rglob("*.py")):
        if "site-packages" not in path.parts and "test" not in path.parts:
            data += path.read_bytes()
            if len(data) >= most:
                break
    return bytes(data)


def test_in_code_and_prose_less_than_one_text_in_100_kb_is_replaced() -> None:
    data = library_sources(5_000_000)
    assert len(data) > 4_000_000
    found = secrets_in(data)
    assert len(found) < len(data) / 100_000, [data[begin:end] for begin, end, _ in found]


@pytest.mark.skipif(not REAL.is_dir(), reason="the real sessions are not beside this checkout")
def test_in_real_sessions_less_than_one_text_in_100_kb_is_replaced() -> None:
    size, redactor = 0, Redactor()
    for path in REAL.glob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            size += len(line)
            try:
                redactor.value(json.loads(line))
            except ValueError:
                redactor.text(line.decode("utf-8", "replace"))
    assert len(redactor.replacements) < size / 100_000, redactor.replacements


def test_homes_become_a_tilde_and_names_are_replaced_only_in_paths_and_before_hosts() -> None:
    personal = Personal("/home/alice", ["alice", "bob"])
    text, count = personal.replace(
        "alice ran /home/alice/x and /home/bob and \\n/home/alice in C:\\Users\\bob\\y and "
        "/var/mail/alice as alice@host, malice@host, https://x.org/home/page, --home-alice-x--"
    )
    assert text == (
        "alice ran ~/x and ~ and \\n~ in ~\\y and "
        "/var/mail/user as user@host, malice@host, https://x.org/home/page, --home-user-x--"
    )
    assert count == 7
    assert personal.replace("/x/-home-alice/s.jsonl icon-home-alice --home-dir /x") == (
        "/x/-home-user/s.jsonl icon-home-alice --home-dir /x",
        1,
    )
    assert user_in("/Users/carol/work") == "carol"
    assert user_in("/srv/app") == ""
    assert Personal("/root", ["root"]).replace("cd /root/x; root@host; /rooted") == (
        "cd ~/x; root@host; /rooted",
        1,
    )


def test_the_name_in_the_folder_of_a_session_is_replaced_as_well() -> None:
    redactor = Redactor(Personal("/home/alice", ["alice"]))
    redactor.add_user_of("/home/carol/app")
    assert (
        redactor.text("carol@host in /var/mail/carol, said carol")
        == "user@host in /var/mail/user, said carol"
    )
    assert redactor.personal_count == 2


def test_without_the_package_of_re2_the_same_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    data = "\n".join([*EXAMPLES.values(), *NEAR_MISSES, *(text for text, _ in SECRETS)]).encode()
    data += library_sources(500_000)
    expected = secrets_in(data)
    monkeypatch.setitem(sys.modules, "re2", None)
    scanner._matcher.cache_clear()
    try:
        assert secrets_in(data) == expected
    finally:
        scanner._matcher.cache_clear()


def test_the_surroundings_of_a_replacement_have_no_other_secret() -> None:
    _, (first, second) = redact("é password: hunter2! and API_KEY=abcdefgh1234 é")
    assert (first.before, first.after) == ("é password: ", " and API_KEY=[redacted: token or key] é")
    assert second.before.endswith("[redacted: password] and API_KEY=")
    assert (first.secret, second.secret, second.after) == ("hunter2!", "abcdefgh1234", " é")
