"""The table of rules for secrets: shapes that their makers publish, and the places where other secrets stand.

No rule guesses by how random a text looks: in ordinary code and prose that finds thousands of texts that are
no secrets.
"""

from __future__ import annotations

from typing import NamedTuple

MARKERS, ADDRESS, COOKIES, NAMED, SETTER, ARGUMENT = (
    *("markers", "address", "cookies", "named", "setter", "argument"),
)
"""How the secret is found behind a match: see `app.redact.readers`."""


class Rule(NamedTuple):
    """A rule for one kind of secret.

    :param kind: the name of the kind, which takes the place of the secret.
    :param anchors: texts in small letters, one of which is in every match; without RE2, searches look for
        them first.
    :param pattern: in the syntax that RE2 and Python's `re` share, for bytes. Its beginning is of bounded
        length, so that a search takes time in proportion to the text.
    :param reader: finds the secret behind the match; "" if it is the match, or the group that matches.
    :param hint: a simpler pattern that is in every match; RE2 looks for those of all rules at once. "" for
        the pattern itself.
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: str
    reader: str = ""
    hint: str = ""


_W = r"[A-Za-z0-9_-]"
_QUOTES = r"[\"'`]"

# The last words of names of secrets. `app.redact.names` looks at the whole name.
_PASSWORD_WORD = (
    r"pass(?:word|wd|phrase|code|wort)?|pwd|pw|kennwort|contrase(?:ñ|n)a|mot de passe|senha|пароль|密码|密碼"
    r"|パスワード"
)
_SECRET_WORD = r"token|secret|key|credentials?|key[_-]?data|secret[_-]?key[_-]?base"
NAME_WORD = f"(?:{_PASSWORD_WORD}|{_SECRET_WORD})"
_PASSWORD_ANCHORS = (
    *("pass", "pwd", "pw", "kennwort", "contrase", "mot de passe", "senha", "пароль", "密码", "密碼"),
    "パスワード",
)
_SECRET_ANCHORS = ("token", "secret", "key", "credential")
_VALUE_FIELD = rf"{_QUOTES}?(?:value|default|plaintext){_QUOTES}?\s{{0,3}}[:=]"
# The characters between a name and its value.
_BETWEEN = (
    rf"(?:[\"'`*\]]{{0,4}}(?:[ \t]{{0,40}}(?:=>|:=|[:=]|：|＝)(?:\s{{0,60}}\{{?\s{{0,60}}{_VALUE_FIELD})?"
    rf"|{_QUOTES}?[,;]?\s{{1,60}}{_VALUE_FIELD}"  # an object or element with a name and a value
    rf"|{_QUOTES}[ \t]{{0,3}}\{{[^{{}}\n]{{0,60}}\s{{0,60}}default\s{{0,3}}="  # Terraform
    rf"|{_QUOTES}\s{{0,3}},\s{{0,3}}"  # a pair, or a list of arguments
    rf"|(?:</key>\s{{0,20}}<string>|{_QUOTES}?>)(?:<!\[CDATA\[)?"  # XML
    r"|[ \t]{0,40}(?:[|\t]|│)|[ ]{2,40}"  # the columns of a table
    r"|[ \t](?:is|was|ist|es|est)(?:[ \t]|:)))"
)
_HINT = (
    r"[0-9]{0,2}[\"'`*\]]{0,4}(?:[ \t]{0,40}(?:[:=|>{\t]|│|：|＝)|[ ]{2}|[,;{]|</key>"
    r"|[ \t](?:is|was|ist|es|est)[ \t:]|\s{1,60}[\"'`]?(?:value|default|plaintext))"
)
_SETTERS = (
    r"(?:\b(?:setx|setenv|ENV|ARG|export|config|secret set|configure set|config set|env:)[ \t]"
    r"|\bset -[a-zA-Z]{1,4}[ \t])[ \t]{0,3}(?:-{1,2}[\w-]{1,20}[ \t]{1,3}){0,3}"
)


def _arguments(programs: str, options: str, value: str = r"[ \t\"',=]{1,4}") -> str:
    """The pattern of an argument that is a secret: after these programs, one of these options, and a gap."""
    return rf"\b(?:{programs})[\"']?[\s,](?:[^\n|;]*?[\s\"',])?(?:{options}){value}()[^\s\"',-]"


_GLUED = r"[\"']?"

RULES = (
    Rule(
        "private key",
        ("private key", "private-lines", '"d"'),
        r"-{4,5} ?(?:BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
        r"|Private-Lines: [0-9]{1,4}\s{1,4}|\"d\"\s?:\s?\"[A-Za-z0-9_-]{40,}\"",
        MARKERS,
        r"PRIVATE KEY|Private-Lines|\"d\"",
    ),
    Rule("Anthropic key", ("sk-ant-",), rf"\bsk-ant-{_W}{{20,}}"),
    Rule("OpenRouter key", ("sk-or-",), r"\bsk-or-(?:v[0-9]+-)?[A-Za-z0-9]{20,}"),
    Rule(
        "OpenAI key",
        ("sk-",),
        rf"\bsk-(?:(?:proj|svcacct|admin|None)-{_W}{{20,}}|[A-Za-z0-9]{{32,}})",
    ),
    Rule("Google API key", ("aiza",), rf"\bAIza{_W}{{35}}"),
    Rule("Google secret", ("gocspx-", "ya29."), rf"\b(?:GOCSPX-{_W}{{28}}|ya29\.{_W}{{20,}})"),
    Rule("AWS key id", ("akia", "asia", "abia", "acca"), r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    Rule(
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9_]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    ),
    Rule(
        "GitLab token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glagent-", "gloas-", "glsoat-", "glimt-"),
        r"\bgl(?:pat|dt|rt|cbt|ptt|ft|agent|oas|soat|imt)-[A-Za-z0-9_.-]{20,}",
    ),
    Rule(
        "Slack token",
        ("xox", "xapp-"),
        r"\b(?:xoxe\.)?(?:xox[abcdeoprs]-[A-Za-z0-9%/+=-]{16,}|xapp-[0-9]-[A-Za-z0-9-]{16,})",
    ),
    Rule("Hugging Face token", ("hf_", "api_org_"), r"\b(?:hf|api_org)_[A-Za-z0-9]{34,}"),
    Rule("Groq key", ("gsk_",), r"\bgsk_[A-Za-z0-9]{40,}"),
    Rule(
        "Stripe key",
        ("k_live_", "k_test_", "whsec_"),
        r"\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,})",
    ),
    Rule("npm token", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    Rule("PyPI token", ("pypi-ag",), rf"\bpypi-Ag{_W}{{40,}}"),
    Rule(
        "JSON web token",
        ("eyj",),
        rf"\beyJ{_W}{{8,}}\.(?:eyJ{_W}{{8,}}|)\.{_W}{{10,}}(?:\.{_W}+){{0,2}}",
    ),
    Rule("SendGrid key", ("sg.",), rf"\bSG\.{_W}{{16,32}}\.{_W}{{32,}}"),
    Rule("DigitalOcean token", ("_v1_",), r"\bdo[opr]_v1_[a-f0-9]{40,}"),
    Rule(
        "Shopify token",
        ("shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_"),
        r"\bshp(?:at|ca|pa|ss|ua|tka)_[A-Za-z0-9]{32,}",
    ),
    Rule("Linear key", ("lin_",), r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    Rule("Notion token", ("ntn_", "secret_"), r"\b(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}\b)"),
    Rule("Replicate token", ("r8_",), r"\br8_[A-Za-z0-9]{32,}"),
    Rule("xAI key", ("xai-",), r"\bxai-[A-Za-z0-9]{40,}"),
    Rule("Perplexity key", ("pplx-",), r"\bpplx-[A-Za-z0-9]{40,}"),
    Rule("age key", ("age-secret-key-1",), r"\bAGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    Rule("Telegram token", ("/bot", ":aa", "telegram"), rf"(?:\b|/bot)[0-9]{{8,10}}:{_W}{{35}}\b"),
    Rule("Discord token", ("discord",), rf"\b[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,}}"),
    Rule("Tailscale key", ("tskey-",), rf"\btskey-{_W}{{16,}}"),
    Rule("Figma token", ("figd_", "figo_", "figu_", "figr_"), rf"\bfig[dour]_{_W}{{36,}}"),
    Rule("Supabase key", ("sbp_", "sb_secret_"), rf"\b(?:sbp_[a-f0-9]{{40}}|sb_secret_{_W}{{20,}})"),
    Rule(
        "Vercel token",
        ("vercel_blob", "vcp_", "vci_", "vca_", "vck_", "vcr_"),
        r"\b(?:vercel_blob_rw_[A-Za-z0-9_]{20,}|vc[piakr]_[A-Za-z0-9]{24,})",
    ),
    Rule("Airtable token", ("pat",), r"\bpat[A-Za-z0-9]{14}\.[a-f0-9]{40,}"),
    Rule("Vault token", ("hvs.", "hvb.", "hvr."), rf"\bhv[sbr]\.{_W}{{20,}}"),
    Rule(
        "Atlassian token",
        ("atatt3", "atctt3", "atbb"),
        r"\b(?:AT[AC]TT3[A-Za-z0-9_=-]{40,}|ATBB[A-Za-z0-9]{28,})",
    ),
    Rule("Mailgun key", ("key-",), r"\bkey-[a-f0-9]{32}\b"),
    Rule("Twilio key", tuple(f"sk{digit}" for digit in "0123456789abcdef"), r"\bSK[a-f0-9]{32}\b"),
    Rule("Square token", ("sq0", "eaaa"), rf"\b(?:sq0(?:atp|csp|idp)-{_W}{{20,}}|EAAA{_W}{{60}}\b)"),
    Rule("Docker token", ("dckr_",), rf"\bdckr_[po]at_{_W}{{20,}}"),
    Rule("Databricks token", ("dapi",), r"\bdapi[a-f0-9]{32}"),
    Rule(
        "Grafana token",
        ("glsa_", "glc_"),
        r"\b(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_eyJ[A-Za-z0-9+/=]{20,})",
    ),
    Rule("Sentry token", ("sntr",), r"\bsntry[sua]_[A-Za-z0-9+/=_-]{40,}"),
    Rule("New Relic key", ("nrak-",), r"\bNRAK-[A-Z0-9]{27}"),
    Rule("Terraform token", (".atlasv1.",), rf"\b[A-Za-z0-9]{{14}}\.atlasv1\.{_W}{{40,}}"),
    Rule("RubyGems key", ("rubygems_",), r"\brubygems_[a-f0-9]{48}"),
    Rule("Netlify token", ("nfp_",), r"\bnfp_[A-Za-z0-9]{36,}"),
    Rule("Postman key", ("pmak-",), r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    Rule("LangSmith key", ("lsv2_",), r"\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    Rule("Brevo key", ("xkeysib-",), rf"\bxkeysib-[a-f0-9]{{40,}}-{_W}{{8,}}"),
    Rule("Azure secret", ("8q~",), r"\b[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,37}"),
    Rule(
        "webhook",
        ("hooks.slack.com", "/api/webhooks/", "webhook.office.com", "hooks.zapier.com"),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{24,})"
        rf"|discord(?:app)?\.com/api/webhooks/[0-9]{{1,30}}/({_W}{{20,}})"
        r"|webhook\.office\.com/webhookb2/([A-Za-z0-9@/_-]{24,})"
        r"|hooks\.zapier\.com/hooks/catch/([A-Za-z0-9/]{10,})",
    ),
    Rule(
        "signed address",
        ("sig", "token=", "auth=", "code=", "hmac=", "hash=", "key="),
        r"(?i)[?&](?:amp;)?(?:sig|signature|x-(?:amz|goog)-(?:signature|security-token)|st|hmac)"
        r"=([A-Za-z0-9%+/=_~.-]{16,})"
        r"|[?&](?:amp;)?(?:key|code|auth|hash)=([A-Za-z0-9%=_~.-]{32,})",
    ),
    Rule(
        "password hash",
        ("$apr1$", "$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2", "$scrypt$"),
        r"\$(?:apr1|[1256y]|2[aby]|argon2(?:id?|d)|scrypt|7)\$[A-Za-z0-9./$=,+-]{20,}",
    ),
    Rule(
        "password in a URL",
        ("://", "jdbc:oracle"),
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\[\"'`<>\\?#]{0,100}[:@]"
        r"|jdbc:oracle:\w{1,10}:[\w.-]{1,40}/",
        ADDRESS,
        r"://[^\s/:@\"'`<>\\?#]*[:@]|jdbc:oracle",
    ),
    Rule(
        "authorization",
        ("authorization", "bearer"),
        r"(?i)(?:authorization[\"']{0,2}\s{0,3}(?:[:=,]|=>)\s{0,3}(?:[\"']?value[\"']?\s?[:=]\s?)?[\"'`]?"
        r"(?:(?:bearer|basic|token|apikey|digest|negotiate|bot)(?:\s|%20){1,4}([A-Za-z0-9._~+/=:-]{6,})"
        r"|([A-Za-z0-9._~+/=-]{20,})|AWS4-HMAC-SHA256[^\n]*?Signature=([a-f0-9]{64}))"
        r"|\bbearer(?:\s|%20){1,4}[\"'`]?([A-Za-z0-9._~+/=-]{16,}))",
        ARGUMENT,
        r"(?i)authorization|bearer[\s%]",
    ),
    Rule(
        "cookie",
        ("cookie", "curl"),
        r"(?i)cookie[\"']?\s{0,3}[:=,]\s{0,3}[\"'`]?"
        r"|\bcurl[\"']?[\s,](?:[^\n|;]*?[\s\"'])?(?:-b|--cookie)[ \t\"',=]{1,4}",
        COOKIES,
        r"(?i)cookie[\"']?\s{0,3}[:=,]|\bcurl\b",
    ),
    Rule(
        "password",
        ("pass", "pwd", "identified", "securestring"),
        r"(?i)\b(?:identified by|with password|password)[ \t]{1,3}()'[^'\n]"
        r"|(?:^|[\s\"'`(\[])--?[a-z0-9-]{0,30}(?:password|passwd|passphrase|storepass|keypass)"
        r"(?:[ \t]{1,3}|[\"'],\s{0,3})()[^\s-]"
        r"|(?:^|\n|\s(?:login|user(?:name)?)[ \t\n]{1,20}[^\s]{1,100}\s)[ \t]{0,40}"
        r"password[ \t]{1,20}()[!-,./0-9;<>-~]"
        r"|(?i:securestring)[ \t]{1,3}(?:-string[ \t])?()[\"']",
        ARGUMENT,
        r"(?i)identified by|-[a-z0-9-]*(?:pass|passwd|phrase|password)[ \t\"']|password[ \t]"
        r"|securestring",
    ),
    Rule(
        "token or key",
        ("token", "secret", "key", "_auth", '"auth"'),
        r"(?i)(?:^|[\s\"'`(\[])--[a-z0-9-]{0,30}(?:token|secret|(?:api|access|secret|auth|private|account)-?key)"
        r"(?:[ \t]{1,3}|[\"'],\s{0,3})()[^\s-]"
        r"|\"auth\"\s{0,3}:\s{0,3}\"([a-z0-9+/]{12,}={0,2})\"|\b_auth\s{0,3}=\s{0,3}\"?([a-z0-9+/]{12,}={0,2})",
        ARGUMENT,
        r"(?i)--[a-z0-9-]*(?:token|secret|key)[ \t\"']|_auth|\"auth\"",
    ),
    Rule(
        "secret in a command",
        ("setx", "setenv", "set -", " set ", "env ", "arg ", "export ", "config ", "env:"),
        rf"{_SETTERS}[A-Za-z0-9_.:/-]{{0,80}}?(?i:{NAME_WORD})[0-9]{{0,2}}[ \t]{{1,3}}"
        r"(?:(?:-b|--body|--value)[ \t=])?",
        SETTER,
        r"(?:setx|setenv|ENV|ARG|export|config|secret set|configure set|set -[a-zA-Z]{1,4}|env:)[ \t]"
        rf"[A-Za-z0-9_.:/ \t-]*(?i:{NAME_WORD})[0-9]{{0,2}}[ \t]",
    ),
    Rule(
        "secret in a command",
        (
            *("curl", "wget", "http -a", "https -a", "--auth", "mysql", "mariadb", "7z", "zip -p", "unrar"),
            *("sshpass", "login", "redis-cli", "mongo", "pass:", "openssl", "sqlcmd", "bcp ", "osql", "ldap"),
            *(
                "smbclient",
                "rpcclient",
                "lftp",
                "freerdp",
                "cmdkey",
                "net use",
                "sudo -s",
                "chpasswd",
                "htpasswd",
            ),
        ),
        "|".join(
            (
                _arguments("curl|wget", "-u|--user|-U|--proxy-user", r"[ \t\"',=]{1,4}[^\s:\"']{1,100}:"),
                _arguments("https?", "-a|--auth", r"[ \t\"',=]{1,4}[^\s:\"']{1,100}:"),
                _arguments(
                    "mysql(?:dump|admin|import|show)?|mariadb(?:-dump|-admin)?|7za?|7zz|unrar|rar|sshpass",
                    "-p",
                    _GLUED,
                ),
                _arguments("sshpass", "-p"),
                _arguments("zip|unzip|sqlcmd|bcp|osql", "-P"),
                _arguments("(?:docker|podman|buildah|skopeo|helm registry|oras|az|az acr) login", "-p"),
                _arguments("redis-cli", "-a"),
                _arguments("mongo(?:sh|dump|restore|export|import)?", "-p"),
                _arguments("ldap(?:search|add|modify|whoami)", "-w"),
                _arguments("openssl", "pass:", ""),
                _arguments("openssl enc", "-k"),
                _arguments("smbclient|rpcclient|net", "-U|--user", r"[ \t\"',=]{1,4}[^\s%\"']{1,100}%"),
                _arguments("lftp|lftp -u", "-u", r"[ \t\"']{1,4}[^\s,\"']{1,100},"),
                _arguments("x?freerdp|xfreerdp3?", "/p:", ""),
                _arguments("cmdkey", "/pass:", ""),
                r"\bnet use[ \t][^\n]*?/user:[^\s]{1,80}[ \t]{1,3}()[^\s/]",
                r"\bhtpasswd -[a-zA-Z]{0,5}b[a-zA-Z]{0,5} [^\s]{1,100} [^\s]{1,100} ()[^\s]",
                r"\becho (?:-n )?()[^\s|]{1,100} ?\| ?(?:sudo -S|(?:docker|podman|helm registry) login)",
                r"\becho (?:-n )?[\"']?[\w.-]{1,40}:()[^\s|]{1,100} ?\| ?(?:sudo )?chpasswd",
            )
        ),
        ARGUMENT,
        r"\b(?:curl|wget|https?|mysql\w*|mariadb[\w-]*|7z\w*|(?:un)?rar|sshpass|(?:un)?zip|sqlcmd|bcp|osql|login"
        r"|redis-cli|mongo\w*|ldap\w+|openssl|smbclient|rpcclient|net|lftp|htpasswd)\b[^\n|;]*[\s\"']"
        r"(?:-[uUpPawkb]|--user|--auth|--proxy-user|/user:)|pass:|/p:"
        r"|\becho [^\n|]*\| ?(?:sudo|docker|podman|helm|chpasswd)",
    ),
    Rule(
        "password file",
        (":5432:", ":5433:", ":6432:", ":*:"),
        r"(?:^|[\s\"'(])[A-Za-z0-9.*-]{1,80}:(?:[0-9]{2,5}|\*):[A-Za-z0-9_*.-]{1,40}:"
        r"[A-Za-z0-9_*.-]{1,40}:()[^\s:]",
        ARGUMENT,
        r":(?:[0-9]{4}|\*):",
    ),
    Rule(
        "recovery phrase",
        ("phrase", "mnemonic", "seed"),
        r"(?i)(?:seed|recovery|mnemonic|secret)(?:[ _-]?(?:phrase|words))?[\"'`*]{0,3}\s?[:=]\s?[\"'`]?"
        r"((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})",
    ),
    Rule(
        "password",
        _PASSWORD_ANCHORS,
        rf"(?i)(?:{_PASSWORD_WORD})[0-9]{{0,2}}{_BETWEEN}",
        NAMED,
        rf"(?i)(?:{_PASSWORD_WORD}){_HINT}",
    ),
    Rule(
        "token or key",
        _SECRET_ANCHORS,
        rf"(?i)(?:{_SECRET_WORD})[0-9]{{0,2}}{_BETWEEN}",
        NAMED,
        rf"(?i)(?:{_SECRET_WORD}){_HINT}",
    ),
)
"""The rules. If two match the same text, the first one gives the kind."""
