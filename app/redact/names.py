"""Names whose values are secrets, and values that are none although they stand behind such a name."""

from __future__ import annotations

import re
from typing import NamedTuple

_CAMEL = re.compile(rb"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-. /:$]+")
_PASSWORD = re.compile(
    r"(?:^|_)(?:[a-z0-9]*(?:password|passwd|passphrase|passcode|passwort|kennwort|contrase(?:ñ|n)a|senha)"
    r"|pwd|pw|[a-z0-9]+_pass|mot_de_passe|пароль|密码|密碼|パスワード)_?[0-9]*$".encode()
)
_NO_PASSWORD = re.compile(
    rb"(?:^|_)(?:show|hide|forgot|forgotten|change|has|is|no|require|requires|on|handle|validate|check|verify|reset|get|"
    rb"toggle|min|max|hash|compare|generate|update|enter)_?(?:password|passphrase|passwd|pwd)$|^pwd$|^oldpwd$"
)
_KEY_OWNERS = (
    rb"api|app|application|access|secret|private|priv|auth|authentication|encryption|encrypt|signing|sign|master|"
    rb"service|account|client|license|deploy|deployment|admin|shared|consumer|storage|functions?|subscription|"
    rb"webhook|jwt|aes|hmac|crypto|decryption|session|server|role|instrumentation|write|ingest|publish|integration|"
    rb"pass"
)
_SECRET = re.compile(
    rb"(?:^|_)(?:[a-z0-9]*token|[a-z0-9]*secret|credentials?"
    rb"|(?:[a-z0-9]+_)?(?:" + _KEY_OWNERS + rb")_?key|[a-z0-9]*(?:api|secret|private|access)key"
    rb"|key_data|keydata|(?:secret_?)?key_base)_?[0-9]*$"
)
_NO_SECRET = re.compile(
    rb"(?:^|_)(?:next|page|paging|eos|bos|pad|unk|mask|sep|cls|stop|end|start|max|min|current|prev|previous|last|first|"
    rb"lookahead|continuation|cancellation|cancel|sync|design|special|num|number|image|line|open|close|unexpected|n|"
    rb"per|each|is|has|no|not|peek|bad|this|that|color|theme|input|output|prompt|total|string|type)_?"
    rb"(?:token|secret|key)$"
)
_UPPER_KEY = re.compile(rb"[A-Z0-9_]*[A-Z0-9]_?KEY[0-9]*")
_NO_UPPER_KEY = re.compile(
    rb"(?:^|_)(?:public|pub|primary|foreign|partition|sort|cache|hot|shortcut|range|hash|index|group|routing|dedup|dedupe|"
    rb"idempotency|registry|unique|lookup|map|storage|object|s3|row|column|item|i18n|translation|query|meta|bucket|"
    rb"lock|redis|host|any|press|arrow|function|virtual|escape|enter|shift|ctrl|alt|tab|f)_?key$|^key$"
)


class Name(NamedTuple):
    """A name whose value is a secret.

    :param is_password: it names a password, else a token or a key.
    :param is_upper: it is in capitals, as variables of the environment are.
    :param is_any_key: it only ends in `KEY`: in code, such names are those of fields as well.
    """

    is_password: bool
    is_upper: bool
    is_any_key: bool = False


def secret_name(name: bytes) -> Name | None:
    """How a name calls a secret; None if its value is none. The last words decide: `max_tokens` and
    `key_name` name no secrets.
    """
    name = name.strip(b"_-.:/$ ")
    spelled = _CAMEL.sub(b"_", name).lower()
    is_upper = name.isupper() and len(name) > 2
    if _PASSWORD.search(spelled):
        return (
            None if _NO_PASSWORD.search(spelled) and (is_upper or spelled != b"pwd") else Name(True, is_upper)
        )
    if _SECRET.search(spelled):
        return None if _NO_SECRET.search(spelled) else Name(False, is_upper)
    if is_upper and _UPPER_KEY.fullmatch(name) and not _NO_UPPER_KEY.search(spelled):
        return Name(False, True, is_any_key=True)
    return None


_REFERENCE = re.compile(
    rb"\$\{?[A-Za-z_]\w*\}?|%[A-Za-z_]\w*%|[$#%@]?\{.*\}|<.*>|\[.*\]|[&*][A-Za-z_]\w*|\((?:[a-z]+ ?)+\)"
    rb"|![A-Za-z][\w/]*"
    rb"|(?:vault|op|ssm|env|file|secret|arn|keychain|sops|ref|data|urn|sha256|sha512|sha1|md5)[:+].*|ENC\[.*|\{\{.*",
    re.DOTALL,
)
_TEMPLATE = re.compile(rb"\$\{|\{\{|\$\(|#\{|\}\}|%\(\w+\)s|<%|\$\[|\(\?[:=!]|\[\^")
_MASKED = re.compile(
    rb".{0,12}(?:\*{3,}|\.{3,}|\xe2\x80\xa6|x{4,}|X{4,}|(?:\xe2\x80\xa2){2,}|\xe2\x97\x8f{2,})[^*.]{0,6}"
)
_PATH = re.compile(
    rb"(?:~|\.{1,2}|[A-Za-z]:|file:/)?[/\\]{1,2}[\w@.+-]+(?:[/\\]{1,2}[\w@.+-]+)+[/\\]?"
    rb"|(?:~|\.{1,2})[/\\][\w.-]+|[a-z][a-z0-9_.-]*(?:/[a-z][a-z0-9_.-]*)+/?"
)
_WORD = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z\W\d_]+")
_VOCABULARY = frozenset(
    b"""a abc actual add admin algorithm an and any api apikey app application arg argument array as auth
    authentication authorization authtoken bar base basic baz be bearer bool boolean bot bytes callback
    change changed changeme char client code column config configure confirm confirmation confirmed
    contrase credential credentials csrf current data database db de default demo dev disabled dummy
    email empty enabled encoded encrypted enter env environment error example expired expires fake false
    field file fill first flag float foo forgot from function generate generated get getenv given goes
    guest hash hashed here hex hidden hide hint id identifier in incorrect info input insert int integer
    invalid is it item json jwt kennwort key keys keyword label last length load local login logout mail
    manager max me message min missing mode model more mot must my name new next nil no none not null
    number oauth object of old on one only option optional or other our parameter pass passe passphrase
    passwd password passwords passwort paste path pin placeholder plain please postgres private process
    production prompt public put pw pwd random raw read redacted ref reference refresh remove repeat
    replace required reset response root sample secret secretkey secrets select senha server service
    session set settings show some str string stub test testing text that the this title to todo token
    tokens true txt type undefined unknown unset update url use used user username users utf uuid valid
    validate value values var varchar variable verify was web webhook what with word wrong xxx yes you
    your z""".split()
)
_CODE = re.compile(
    rb"[A-Za-z_$][A-Za-z_]*[0-9]{0,2}(?:(?:\??\.|->|::)[A-Za-z_*$][A-Za-z_]*[0-9]{0,2})+[?!]?"
    rb"|_*[A-Za-z]+(?:_[A-Za-z]+)+_*|[A-Za-z_$][\w.:]*[(\[{].*|[A-Za-z_]\w*(?:\.\w+)*=[^=].*",
    re.DOTALL,
)
_CALL = re.compile(rb"[A-Za-z_$][\w.]{2,}[(\[].*[)\]];?", re.DOTALL)
_CAPITALS = re.compile(rb"[A-Z][A-Z_]*[0-9]{0,3}")
_NUMBERED = re.compile(
    rb"[-_*.]*[A-Za-z]{2,}(?:[-_./:#][A-Za-z]+)*(?:[-_./:#]?[0-9]{1,4})?[-_*.]*"
    rb"|[a-z]{2,}[0-9]{0,3}(?:[-_./:][a-z]*[0-9]{0,3})+"
)
_EXPRESSION = re.compile(
    rb"(?:[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)+|[a-z]+[A-Z][A-Za-z]*|![01])[;,(&|?!=\[{)\]}].*", re.DOTALL
)
_KEBAB = re.compile(rb"[a-z]+(?:-[a-z]+){2,}")
_PROSE = re.compile(rb"[.?!:,\xa6]$|^[A-Z][a-z]+ [a-z]|[(<{]", re.DOTALL)
_VERSION = re.compile(rb"v?[0-9]+(?:[.:][0-9]+)+[\w.+~-]*")
_SEPARATOR = re.compile(rb"[-_./:]")
_DIGIT = re.compile(rb"[0-9]")
LONGEST = 200
"""Bytes of the longest placeholder."""
_LETTERS_OF_A_WORD = 12


def is_placeholder(value: bytes) -> bool:
    """Whether the whole of a value stands for a secret, or says where it is: a placeholder, a reference to a
    variable, a mask, a path, or words such as `your-api-key`.
    """
    if len(value) > LONGEST:
        return False
    if (
        len(set(value)) < 3
        or _REFERENCE.fullmatch(value)
        or _TEMPLATE.search(value)
        or _MASKED.fullmatch(value)
    ):
        return True
    if _PATH.fullmatch(value):
        return True
    if _DIGIT.search(value) and not value.startswith((b"base64:", b"sha256:")):
        return False
    words = [word.lower() for word in _WORD.findall(value)]
    return bool(words) and all(word in _VOCABULARY or b"".join(words) in _VOCABULARY for word in words)


def _is_numbered_words(value: bytes) -> bool:
    """Whether a value is such as `id-token-2` or `utf8`."""
    if _SEPARATOR.search(value) is None:
        return value[:-1].lower() in _VOCABULARY
    return _NUMBERED.fullmatch(value) is not None


def is_code(value: bytes) -> bool:
    """Whether a value is a name in code with dots, such as `options.token`."""
    return b"." in value and _CODE.fullmatch(value) is not None


def is_ordinary(value: bytes, name: Name, *, is_quoted: bool, is_strict: bool, is_env: bool = False) -> bool:
    """Whether a value behind a secret's name is none: a placeholder, prose, a word, or code.

    :param is_quoted: it is in quotes, or a value of JSON.
    :param is_strict: what stands between the name and the value also stands between ordinary words.
    :param is_env: it follows its name and `=` without a blank.
    """
    if len(value) > LONGEST:
        return is_quoted and value.count(b" ") * _LETTERS_OF_A_WORD > len(value)
    if is_placeholder(value):
        return True
    has_digit = _DIGIT.search(value) is not None
    is_trusted = name.is_password or (name.is_upper and (is_env or not name.is_any_key))
    if value.isdigit():
        return not name.is_password or len(value) < (4 if is_quoted else 6)
    if is_strict and (not has_digit or _VERSION.fullmatch(value) or _is_numbered_words(value)):
        return True
    if b" " in value:
        words = {word.lower() for word in _WORD.findall(value)} & _VOCABULARY
        return (
            not name.is_password or len(words) > 1 or (not has_digit and bool(_PROSE.search(value) or words))
        )
    if value.isalpha():
        if not is_trusted or (name.is_upper and value.isupper()):
            return True
        if is_quoted or is_env:
            return len(value) < (6 if name.is_password else 8)
        return not value.islower() or len(value) < 6
    if not is_trusted and _NUMBERED.fullmatch(value):
        return True
    if _CAPITALS.fullmatch(value) and not (name.is_password and has_digit):
        return True
    if is_quoted:
        parts = {word.lower() for word in _WORD.findall(value)}
        return not has_digit and b"." in value and bool(parts & _VOCABULARY)
    if is_env and name.is_upper:
        return bool(_CALL.fullmatch(value))
    if _CODE.fullmatch(value) or _EXPRESSION.fullmatch(value):
        return True
    return not has_digit and not (name.is_password and _KEBAB.fullmatch(value)) and not is_env
