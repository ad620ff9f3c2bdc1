"""The table of rules for secrets: shapes that their makers publish, and assignments to names of secrets.

No rule guesses by how random a text looks: in ordinary code and prose that finds thousands of texts that are
no secrets.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """A rule for one kind of secret.

    :param kind: the name of the kind, which takes the place of the secret.
    :param anchors: texts in small letters, one of which is in every match; searches look for them first.
    :param pattern: in the syntax that RE2 and Python's `re` share, for bytes. The group that matches is
        the secret; the whole match if none does.
    :param example: a text with one secret.
    :param near_miss: a similar text without one.
    :param reach: bytes after an anchor in which a match is looked for.
    :param is_assigned: the secret has no shape of its own, so that placeholders and code are told apart from
        it (`is_placeholder`).
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: str
    example: str
    near_miss: str
    reach: int = 400
    is_assigned: bool = False


_WORD = r"[A-Za-z0-9_-]"

# Names of secrets. The last word decides: `max_tokens` and `key_name` are none.
_PASSWORD = r"(?:password|passwd|passwort|passphrase|pwd)"
_NAME = (
    r"(?:[a-z0-9_.-]{0,40}[_.-])?"
    r"(?:api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key|encryption[_-]?key"
    r"|signing[_-]?key|master[_-]?key|service[_-]?key|account[_-]?key"
    r"|(?:api|auth|access|refresh|bearer|session|id|bot|deploy|csrf|xsrf|oauth|client)[_-]?token|token"
    r"|(?:client|app|api|webhook|jwt|shared|consumer|session)[_-]?secret|secret|secret[_-]?access[_-]?key"
    r"|apikey|authtoken|accesstoken|secretaccesskey)"
)
_UPPER = (
    r"(?:[A-Z][A-Z0-9]{0,30}_){0,6}"
    r"(?:[A-Z0-9]{0,20}KEY|[A-Z0-9]{0,20}TOKEN|[A-Z0-9]{0,20}SECRET|[A-Z0-9]{0,20}PASSWORD|PASSWD|PWD)"
)
_UPPER_ANCHORS = ("key", "token", "secret", "passw", "pwd")

RULES = (
    Rule(
        "private key",
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?s:.{20,}?)-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"|[A-Za-z0-9+/=\s]{64,})",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n"
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n"
        "-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
        "-----END PUBLIC KEY-----",
        reach=20_000,
    ),
    Rule(
        "Anthropic key",
        ("sk-ant-",),
        r"\bsk-ant-" + _WORD + "{20,}",
        "sk-ant-api03-Zx8vQ2mNbR4tYw7LpKd3FhJs6GcAeUi9-XoWqTnBvMrE5yDk_AA",
        "sk-ant-api03-...",
    ),
    Rule(
        "OpenRouter key",
        ("sk-or-",),
        r"\bsk-or-(?:v[0-9]+-)?[A-Za-z0-9]{20,}",
        "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",
        "sk-or-v1-<your key>",
    ),
    Rule(
        "OpenAI key",
        ("sk-",),
        r"\bsk-(?:(?:proj|svcacct|admin|None)-" + _WORD + r"{20,}|[A-Za-z0-9]{32,})",
        "sk-proj-Hq3VbN8xLw2RtZ6yKm4PdFs9JgCeUa7iXoWqTnBvMrE5yDkSh1Qz",
        "task-management-and-risk-assessment-of-a-disk-subsystem",
    ),
    Rule(
        "Google API key",
        ("aiza",),
        r"\bAIza[A-Za-z0-9_-]{35}",
        "AIzaSyD3v8Qk2mNbR4tYw7LpKd3FhJs6GcAeUi9X",
        "AIzaSyD3v8Qk2m",
    ),
    Rule(
        "Google secret",
        ("gocspx-", "ya29."),
        r"\b(?:GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{20,})",
        "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",
        "GOCSPX-secret",
    ),
    Rule(
        "AWS key id",
        ("akia", "asia", "abia", "acca"),
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
        "AKIAZ7Q3MNBR4TYW2LPK",
        "ASIATICBLACKBEARS",
    ),
    Rule(
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9_]{36,}|github_pat_[A-Za-z0-9_]{22,})",
        "ghp_Zx8vQ2mNbR4tYw7LpKd3FhJs6GcAeUi9XoWq",
        "ghp_xxxx and github_pat_token",
    ),
    Rule(
        "GitLab token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glagent-", "gloas-", "glsoat-", "glimt-"),
        r"\bgl(?:pat|dt|rt|cbt|ptt|ft|agent|oas|soat|imt)-[A-Za-z0-9_.-]{20,}",
        "glpat-Zx8vQ2mNbR4tYw7LpKd3",
        "glpat-short",
    ),
    Rule(
        "Slack token",
        ("xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xapp-"),
        r"\b(?:xoxe\.)?(?:xox[abcdeoprs]-[A-Za-z0-9%/+=-]{16,}|xapp-[0-9]-[A-Za-z0-9-]{16,})",
        "xoxb-274839201847-5839201748392-Zx8vQ2mNbR4tYw7LpKd3FhJs",
        "xoxb-token",
    ),
    Rule(
        "Slack webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{24,})",
        "https://hooks.slack.com/services/T02ABCDEF/B03GHIJKL/Zx8vQ2mNbR4tYw7LpKd3FhJs",
        "https://hooks.slack.com/services/T/B",
    ),
    Rule(
        "Hugging Face token",
        ("hf_", "api_org_"),
        r"\b(?:hf|api_org)_[A-Za-z0-9]{34,}",
        "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",
        "hf_hub_download_with_a_long_name_of_a_function",
    ),
    Rule(
        "Groq key",
        ("gsk_",),
        r"\bgsk_[A-Za-z0-9]{40,}",
        "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",
        "gsk_key",
    ),
    Rule(
        "Stripe key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
        r"\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,})",
        "sk_live_Zx8vQ2mNbR4tYw7LpKd3FhJs",
        "sk_test_key",
    ),
    Rule(
        "npm token",
        ("npm_",),
        r"\bnpm_[A-Za-z0-9]{36}\b",
        "npm_Zx8vQ2mNbR4tYw7LpKd3FhJs6GcAeUi9XoWq",
        "npm_config_registry_and_npm_lifecycle_event",
    ),
    Rule(
        "PyPI token",
        ("pypi-ag",),
        r"\bpypi-Ag[A-Za-z0-9_-]{40,}",
        "pypi-AgEIcHlwaS5vcmcCJDNhYzJmZTU4LTk3YjEtNGQ2Yy1hM2U4LWY1NzBiOWQxYzI2ZQ",
        "pypi-AgEIcHlwaS5vcmc",
    ),
    Rule(
        "JSON web token",
        ("eyj",),
        r"\beyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{8,}|)\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+){0,2}",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "eyJhbGciOiJIUzI1NiJ9",
        reach=4_000,
    ),
    Rule(
        "password in a URL",
        ("://",),
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'`<>\\]{0,100}:([^\s/@\"'`<>\\]{1,200})@[A-Za-z0-9_.\[-]",
        "postgres://shop:s3cr3t-pw@db.example.org:5432/shop",
        "http://localhost:8080/@scope/name",
        is_assigned=True,
    ),
    Rule(
        "authorization",
        ("authorization",),
        r"(?i)\bauthorization[\"']{0,2}\s{0,3}[:=,]\s{0,3}[\"'`]?"
        r"(?:(?:bearer|basic|token|apikey|digest|negotiate)\s+([A-Za-z0-9._~+/=-]{8,})"
        r"|([A-Za-z0-9._~+/=-]{20,}))",
        "Authorization: Bearer 9f8e7d6c5b4a39281706",
        "Authorization: Bearer <token>",
        is_assigned=True,
    ),
    Rule(
        "cookie",
        ("cookie:",),
        r"(?i)\b(?:set-)?cookie: ?[a-z0-9_.-]{0,30}(?:session|sess|sid|token|auth|jwt)[a-z0-9_.-]{0,30}"
        r"=([A-Za-z0-9%._~+/=-]{12,})",
        "Set-Cookie: sessionid=9f8e7d6c5b4a39281706; Path=/",
        "Set-Cookie: theme=dark; Path=/",
        is_assigned=True,
    ),
    Rule(
        "header",
        ("x-",),
        r"(?i)\bx-[a-z0-9-]{0,30}(?:key|token|secret|password)[\"']{0,2}\s{0,3}:\s{0,3}[\"'`]?"
        r"([A-Za-z0-9._~+/=-]{8,})",
        "X-Api-Key: 9f8e7d6c5b4a39281706",
        "X-Api-Key: $API_KEY",
        is_assigned=True,
    ),
    Rule(
        "password",
        ("passw", "passphrase", "pwd"),
        r"(?i)(?:\b|_)" + _PASSWORD + r"[\"']?\s{0,3}(?:[:=]|=>|:=)\s{0,3}"
        r"(?:\"([^\"\n]{4,200})\"|'([^'\n]{4,200})'"
        r"|([^\s\"'`<>(){}\[\]$,;|&\\]{4,200})(?:[\s\"'`,;|&)}\]\\]|$))",
        'password: "hunter2-and-more"',
        "password = getpass.getpass(prompt)",
        is_assigned=True,
    ),
    Rule(
        "token or key",
        ("key", "token", "secret"),
        r"(?i)(?:\b|_)" + _NAME + r"[\"']?\s{0,3}(?:[:=]|=>|:=)\s{0,3}"
        r"(?:\"([^\"\s]{8,400})\"|'([^'\s]{8,400})'"
        r"|([A-Za-z0-9._~+/=%:-]{8,400})(?:[\s\"'`,;|&)}\]\\]|$))",
        '"client_secret": "9f8e7d6c-5b4a-3928"',
        '"token": "identifier", "tokens": 4096, "max_tokens": 8192',
        is_assigned=True,
    ),
    Rule(
        "option",
        ("passw", "passphrase", "key", "token", "secret"),
        r"(?i)(?:\s|^|[\"'`(])--[a-z0-9-]{0,30}(?:password|passwd|passphrase|token|secret|(?:api|access)-?key)"
        r"[ \t]{1,3}(?:\"([^\"\s]{6,200})\"|'([^'\s]{6,200})'|([A-Za-z0-9._~+/=%:!#@^-]{6,200}))",
        "docker login --username shop --password hunter2-and-more",
        "gh auth login --with-token --secret-token token.txt --password-stdin",
        is_assigned=True,
    ),
    Rule(
        "named value",
        ("passw", "pwd", "key", "token", "secret"),
        r"(?i)\bname[\"']?\s{0,3}:\s{0,3}[\"']?[a-z0-9_.-]{0,60}(?:password|passwd|pwd|key|token|secret)[\"']?"
        r"(?:,\s{0,60}|\s{1,60})[\"']?value[\"']?\s{0,3}:\s{0,3}"
        r"(?:\"([^\"\s]{6,400})\"|'([^'\s]{6,400})'|([A-Za-z0-9._~+/=%:!#@^-]{6,400}))",
        "- name: DB_PASSWORD\n  value: hunter2-and-more",
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: shop-7",
        is_assigned=True,
    ),
    Rule(
        "assigned secret",
        _UPPER_ANCHORS,
        r"\b" + _UPPER + r"[\"']?(?:=|:[ \t]{1,3})"
        r"(?:\"([^\"\s]{4,400})\"|'([^'\s]{4,400})'|([^\s\"'`<>(){}\[\]$,;|&\\]{4,400}))",
        "export DEPLOY_KEY=correct-horse-battery",
        "export DEPLOY_KEY=$(cat key.txt) KEY=VALUE TOKEN=${TOKEN}",
        is_assigned=True,
    ),
)
"""The rules. If two match the same text, the first one gives the kind."""
