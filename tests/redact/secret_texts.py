"""Texts with secrets of every kind, and texts like them without one.

In a text, `§` is the secret. It is made up here from parts: no scanner of a hosting service takes this file
for one with leaked secrets.
"""

from __future__ import annotations

from app.redact import RULES

PASSWORD = "S3cr3t" + "Pa55"
HEX = "6287cced9041dff0" + "2cee737443e21047" + "1948d332"
MIXED = "kkibjL5DZPjN0MEQ" + "7wjJJibaZUPgHV7i" + "B3m03nbqnsGa2d" * 4
"""Characters of every sort for tokens of any length."""
UPPER = "NJA1AAHFNHI4BRP2" + "LDXJFS953QDCADAF" + "YTTK5DUX24KJHXK0" * 2
LINE = "J59FHz5r1pY4OjE2jBMptUsGr7CmY+uC" + "u3ZR1zTOlUcR64cXQLioDnkHIfxIq2HZ"
"""A line of a key."""
WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"


def _key(label: str, body: str = f"{LINE}\n{LINE}\n", end: bool = True) -> str:
    """Return a block that begins as a key of this label does."""
    return f"-----BEGIN {label}-----\n{body}" + (f"-----END {label}-----" if end else "")


EXAMPLES = {
    "private key": _key("OPENSSH PRIVATE KEY"),
    "Anthropic key": f"sk-ant-api03-{MIXED[:40]}",
    "OpenRouter key": f"sk-or-v1-{HEX}",
    "OpenAI key": f"sk-proj-{MIXED[:40]}",
    "Google API key": f"AIza{MIXED[:35]}",
    "Google secret": f"GOCSPX-{MIXED[:28]}",
    "AWS key id": f"AKIA{UPPER[:16]}",
    "GitHub token": f"ghp_{MIXED[:36]}",
    "GitLab token": f"glpat-{MIXED[:20]}",
    "Slack token": f"xoxb-274839201847-{MIXED[:24]}",
    "Hugging Face token": f"hf_{MIXED[:34]}",
    "Groq key": f"gsk_{MIXED[:52]}",
    "Stripe key": f"sk_live_{MIXED[:24]}",
    "npm token": f"npm_{MIXED[:36]}",
    "PyPI token": f"pypi-Ag{MIXED[:60]}",
    "JSON web token": f"eyJ{MIXED[:17]}.eyJ{MIXED[:20]}.{MIXED[:43]}",
    "SendGrid key": f"SG.{MIXED[:22]}.{MIXED[:43]}",
    "DigitalOcean token": f"dop_v1_{HEX}",
    "Shopify token": f"shpat_{HEX[:32]}",
    "Linear key": f"lin_api_{MIXED[:40]}",
    "Notion token": f"ntn_{MIXED[:46]}",
    "Replicate token": f"r8_{MIXED[:37]}",
    "xAI key": f"xai-{MIXED[:80]}",
    "Perplexity key": f"pplx-{MIXED[:48]}",
    "age key": f"AGE-SECRET-KEY-1{UPPER[:58]}",
    "Telegram token": f"https://api.telegram.org/bot123456789:{MIXED[:35]}/sendMessage",
    "Discord token": f"a bot of discord: MTE{MIXED[:21]}.{MIXED[:6]}.{MIXED[:38]}",
    "Tailscale key": f"tskey-auth-{MIXED[:12]}-{MIXED[:32]}",
    "Figma token": f"figd_{MIXED[:40]}",
    "Supabase key": f"sbp_{HEX}",
    "Vercel token": f"vcp_{MIXED[:24]}",
    "Airtable token": f"pat{MIXED[:14]}.{HEX}",
    "Vault token": f"hvs.{MIXED[:30]}",
    "Atlassian token": f"ATATT3{MIXED[:80]}",
    "Mailgun key": f"key-{HEX[:32]}",
    "Twilio key": f"SK{HEX[:32]}",
    "Square token": f"sq0atp-{MIXED[:22]}",
    "Docker token": f"dckr_pat_{MIXED[:27]}",
    "Databricks token": f"dapi{HEX[:32]}",
    "Grafana token": f"glsa_{MIXED[:32]}_{HEX[:8]}",
    "Sentry token": f"sntrys_{MIXED[:60]}",
    "New Relic key": f"NRAK-{UPPER[:27]}",
    "Terraform token": f"{MIXED[:14]}.atlasv1.{MIXED[:60]}",
    "RubyGems key": f"rubygems_{HEX}{HEX[:8]}",
    "Netlify token": f"nfp_{MIXED[:36]}",
    "Postman key": f"PMAK-{HEX[:24]}-{HEX[:34]}",
    "LangSmith key": f"lsv2_pt_{HEX[:32]}_{HEX[:10]}",
    "Brevo key": f"xkeysib-{HEX}-{MIXED[:16]}",
    "Azure secret": f"abc8Q~{MIXED[:34]}",
    "webhook": f"https://hooks.slack.com/services/T02ABCDEF/B03GHIJKL/{MIXED[:24]}",
    "signed address": f"https://x.test/f.txt?sr=b&sig={MIXED[:43]}%3D&x=1",
    "password hash": f"bob:$2b$12${MIXED[:53]}",
    "password in a URL": f"postgres://shop:{PASSWORD}@db.example.org:5432/shop",
    "authorization": f"Authorization: Bearer {HEX}",
    "cookie": f"Set-Cookie: sessionid={HEX}; Path=/",
    "password": f'password: "{PASSWORD}"',
    "token or key": f'"client_secret": "{HEX}"',
    "secret in a command": f"curl -u bob:{PASSWORD} https://x.test",
    "password file": f"db.example.org:5432:shop:bob:{PASSWORD}",
    "recovery phrase": f"seed phrase: {WORDS}",
}
"""A text with one secret for each kind."""
assert set(EXAMPLES) == {rule.kind for rule in RULES}


def _levels(text: str, levels: int) -> str:
    """Return JSON within JSON, so many levels deep."""
    import json

    for _ in range(levels):
        text = json.dumps({"output": text})
    return text


_P, _H, _T, _L = PASSWORD, HEX, MIXED[:24], LINE
SECRETS = (
    # key blocks
    (
        _key("RSA PRIVATE KEY", f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\n{LINE}\n", end=False),
        _L,
    ),
    (_key("PGP PRIVATE KEY BLOCK", f"Version: GnuPG v2\n\n{f'{LINE}{chr(10)}' * 1000}=ab1Z\n"), _L),
    ("1: " + _key("EC PRIVATE KEY", f"2: {LINE}\n3: {LINE}\n", end=False), _L),
    ("  1→" + _key("EC PRIVATE KEY", f"  2→{LINE}\n  3→{LINE}\n", end=False), _L),
    ("> " + _key("PRIVATE KEY", f"> {LINE}\n> {LINE}\n", end=False), _L),
    ("-" + _key("DSA PRIVATE KEY", f"-{LINE}\n-{LINE}\n", end=False), _L),
    (f"...\n{LINE}\n{LINE}\n-----END RSA PRIVATE KEY-----", _L),
    ("tls.key: |\n  " + _key("PRIVATE KEY", f"  {LINE}\n  {LINE}\n  "), _L),
    (f'key = ("-----BEGIN PRIVATE KEY-----\\n"\n    "{LINE}\\n"\n    "-----END PRIVATE KEY-----")', _L),
    (f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{LINE}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----", _L),
    (f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n{LINE}\n{LINE}\nPrivate-MAC: 12ab\n", _L),
    (f'{{"kty":"RSA","e":"AQAB","d":"{MIXED[:60]}"}}', MIXED[:60]),
    # passwords in addresses
    *(
        (text.replace("§", secret), secret)
        for text, secret in (
            ("postgres://u:§@h", "S3cr/et" + "9"),
            ("postgres://u:§@h.example.org:5432/d?x=1", "Pa55@" + "h0rse"),
            ("amqps://u:§@h//", "S3cr%40" + "t"),
            ("mongodb+srv://bob:§@cluster0.ab1.mongodb.net/test", _P),
            ("redis://:§@h:6379/0", _P),
            ("git clone https://x-access-token:§@github.com/a/b", _T),
            ("https://§@github.com/a/b.git", _T),
            ("SENTRY_DSN=https://§@o123.ingest.sentry.io/45", HEX[:32]),
            ("jdbc:oracle:thin:scott/§@//h:1521/x", _P),
            ("ftp://bob:§@10.0.0.1/", _P),
            ("smtp://bob%40x.test:§@mail.x.test:587", _P),
            ("proxy = http://bob:§@proxy:3128", _P),
        )
    ),
    # values of names
    *(
        (text.replace("§", secret), secret)
        for text, secret in (
            ("DB_PASSWORD='§'", "!3cr" + "3t"),
            ('DB_PASSWORD="§"', "$3cr" + "3tPa"),
            ("DB_PASSWORD='§'", "(3cr)" + "3t&"),
            ("DB_PASSWORD=§", "ab3,c3" + "def9"),
            ("DB_PASSWORD=§", "ab3;c3" + "def9"),
            ("DB_PASSWORD=§", "#3cr" + "3tPa"),
            ("DB_PASSWORD=§", "@3cr" + "3tPa"),
            ("DB_PASSWORD=§", "a(b)c[9]" + "x{1}"),
            ("password: §", "My" + "Password2024!"),
            ("password: §", "Tr0ub4dor" + ".three"),
            ("password: '§'", "correct horse battery staple"),
            ("password: §", "correct-horse-battery"),
            ('password = "§"', "correct_horse_battery"),
            ("export DB_PASS=§", _P),
            ("MYSQL_PWD=§ mysqldump shop", _P),
            ("PGPASSWORD=§ psql", _P),
            ("DISCORD_TOKEN=§", f"MTEt{MIXED[:22]}.{MIXED[:6]}.{MIXED[:27]}"),
            ("VAULT_TOKEN=§", f"s.{MIXED[:24]}"),
            ("API_TOKEN=§", "ab" + "xxxd1234efgh"),
            ("API_KEY: §", "sample" + "9f8e7d6c5b"),
            ("SECRET_KEY_BASE=§", _H),
            ("STRIPE_WEBHOOK_SECRET: §", _H),
            ('SECRET_KEY = "§"', "django-insecure-" + "x9$k2^mq(1)"),
            ("DB_PASSWORD:             §", _P),
            ("DB_PASSWORD     §", _P),
            ("DB_PASSWORD\t§", _P),
            ("| name | value |\n|---|---|\n| DB_PASSWORD | § |", _P),
            ("│ admin_password │ § │", _P),
            ("**Password:** §", _P),
            ("**Password**: `§`", _P),
            ("Password: `§`", _P),
            ("- Password: §", _P),
            ("password: >-\n  §\nuser: bob\n", _P),
            ("db:\n  password: |\n    §\n  user: bob\n", _P),
            ("<password>§</password>", _P),
            ("<db:password>§</db:password>", _P),
            ('<add key="ApiKey" value="§"/>', _T),
            ('<property name="hibernate.connection.password" value="§"/>', _P),
            ("<key>password</key>\n<string>§</string>", _P),
            ('<entry key="password">§</entry>', _P),
            ("password = '§'", "ab\\'c" + "9d"),
            ('{"password": "§"}', 'ab\\"c' + "9d"),
            ('const dbPassword = "§";', _P),
            ("userPassword: '§',", _P),
            ('githubToken := "§"', _T),
            ('{"openaiApiKey":"§"}', _T),
            ("spring.datasource.password=§", _P),
            ('config["password"] = "§"', _P),
            ("options[:password] = '§'", _P),
            ("$env:DB_PASSWORD = '§'", _P),
            ('os.environ["API_TOKEN"] = "§"', _T),
            ('formData.append("password", "§")', _P),
            ('props.setProperty("db.password", "§");', _P),
            ('["--password","§"]', _P),
            ('[["Authorization","Bearer §"]]', _T),
            ('{"key":"Authorization","value":"Bearer §"}', _T),
            ('{"key": "DB_PASSWORD", "value": "§", "type": "secret"}', _P),
            ('{"password":{"value":"§"}}', _P),
            ('{"password":§}', "48213" + "975"),
            ("- name: DB_PASSWORD\n  value: §", _P),
            ('variable "db_password" {\n  default = "§"\n}', _P),
            ("ALTER USER bob WITH PASSWORD '§';", _P),
            ("CREATE USER 'bob'@'%' IDENTIFIED BY '§';", _P),
            ("Server=h;User ID=sa;Password=§;Encrypt=yes", _P),
            ("AccountName=x;AccountKey=§;EndpointSuffix=core.windows.net", f"{MIXED[:86]}=="),
            ("PrivateKey = §", f"{MIXED[:43]}="),
            ("mot de passe : §", _P),
            ("Passwort: §", _P),
            ("密码：§", _P),
            ("The password is §, keep it.", _P),
            ("https://x.test/v1?a=1&access_token=§", _T),
            ('password: "§"', _P * 50),
            ("Ocp-Apim-Subscription-Key: §", HEX[:32]),
            ("x-goog-api-key: §", _T),
            ("PRIVATE-TOKEN: §", _T),
            ("//registry.npmjs.org/:_authToken=§", _T),
            ("helm upgrade x --set db.password=§", _P),
        )
    ),
    # cookies
    *(
        (text.replace("§", secret), secret)
        for text, secret in (
            ("Cookie: theme=dark; sid=§; lang=en", _T),
            ("Cookie: XSRF-TOKEN=abcdef1234567890; laravel_session=§", _T),
            ("set-cookie: remember_me=§; Max-Age=3600; HttpOnly", _T),
            ("curl -b 'sessionid=§' https://x.test", _T),
            ("curl -s --cookie 'a=b; auth=§' https://x.test", _T),
            ('"Cookie": "sessionid=§"', _T),
            ("document.cookie = 'jwt=§; path=/'", _T),
        )
    ),
    # command lines
    *(
        (text.replace("§", secret), secret)
        for text, secret in (
            ("curl -sSL -u 'bob:§' https://x.test", _P),
            ("curl --user bob:§ https://x.test", _P),
            ("http -a bob:§ GET x.test", _P),
            ("mysql -u root -p§ shop", _P),
            ("mysqldump -uroot -p'§' shop", _P + "!"),
            ("sshpass -p § ssh bob@h", _P),
            ("sshpass -p'§' ssh bob@h", _P),
            ("docker login -u bob -p § r.test", _P),
            ("echo § | docker login -u bob --password-stdin", _P),
            ("echo '§' | sudo -S apt update", _P),
            ('echo "bob:§" | sudo chpasswd', _P),
            ("redis-cli -h h -a § ping", _P),
            ("mongosh -u bob -p § h", _P),
            ("openssl rsa -in a.pem -passin pass:§", _P),
            ("openssl enc -aes-256-cbc -k § -in a", _P),
            ("7z x -p§ a.7z", _P),
            ("unzip -P § a.zip", _P),
            ("sqlcmd -S h -U sa -P '§'", _P),
            ("ldapsearch -D cn=x -w § -b dc=x", _P),
            ("smbclient //h/x -U bob%§", _P),
            ("net use Z: \\\\h\\x /user:bob §", _P),
            ("htpasswd -bc .htpasswd bob §", _P),
            ("ConvertTo-SecureString '§' -AsPlainText", _P),
            ("setx DB_PASSWORD §", _P),
            ("set -gx GITHUB_TOKEN §", _T),
            ("set -x API_KEY '§'", _T),
            ("ENV DB_PASSWORD §", _P),
            ("ENV API_TOKEN=§", _T),
            ("aws configure set aws_secret_access_key §", MIXED[:40]),
            ("npm config set //r.test/:_authToken §", _T),
            ("gh secret set API_TOKEN --body §", _T),
            ("mysql --password=§ shop", _P),
            ("app --api-key § run", _T),
            ("gpg --batch --passphrase '§' -d a", _P),
            ("keytool -storepass § -list", _P),
            ("svn co --username bob --password § u", _P),
            ("docker run -e POSTGRES_PASSWORD=§ postgres", _P),
        )
    ),
    # files
    *(
        (text.replace("§", secret), secret)
        for text, secret in (
            ("machine x.test login bob password §", _P),
            ("machine x.test\n\tlogin bob\n\tpassword §\n", _P),
            ("default login bob password § account x", _P),
            ("*:*:*:bob:§", _P),
            ("localhost:5432:shop:bob:§", _P),
            ('{"auths": {"r.test": {"auth": "§"}}}', f"{MIXED[:30]}=="),
            ('{"auths":{"r.test":{"identitytoken":"§"}}}', _T),
            ("    client-key-data: §", MIXED[:80]),
            ("users:\n- user:\n    token: §", MIXED[:60]),
            ("[default]\naws_secret_access_key = §", f"{MIXED[:20]}/{MIXED[:19]}"),
            ("_auth=§", f"{MIXED[:30]}=="),
            ("bob:§:19000:0:99999:7:::", f"$6$ab12cd34${MIXED[:86]}"),
            ("ansible_become_password: §", _P),
        )
    ),
    # webhooks and signed addresses
    *(
        (text.replace("§", secret), secret)
        for text, secret in (
            ("https://discord.com/api/webhooks/123456789012345678/§", MIXED[:68]),
            ("https://x.webhook.office.com/webhookb2/§", f"{_H}@{_H}/IncomingWebhook/{_H}"),
            ("https://hooks.zapier.com/hooks/catch/§/", "1234567/" + "ab12cde"),
            ("https://x.s3.amazonaws.com/a?X-Amz-Date=1&X-Amz-Signature=§", _H + HEX[:24]),
            ("https://x.test/a?X-Amz-Security-Token=§&x=1", MIXED[:80]),
            ("https://storage.googleapis.com/a?X-Goog-Signature=§", _H),
            ("https://x.test/d?Expires=1&Signature=§&Key-Pair-Id=K", MIXED[:60]),
            ("https://x.azurewebsites.net/api/f?code=§==", MIXED[:54]),
            ("https://x.test/?key=AIza§", MIXED[:35]),
        )
    ),
    # JSON within JSON
    *((_levels(f"DB_PASSWORD={_P}\nx", level), _P) for level in range(1, 9)),
    *((_levels('{"password": "a\\"' + _T + '"}', level), _T) for level in range(1, 7)),
    *((_levels(_key("PRIVATE KEY"), level), _L) for level in (2, 5)),
)
"""Texts, each with its secret."""

FIELDS = (
    *(({name: _P}, _P) for name in ("password", "dbPassword", "user_passwd", "MYSQL_PWD", "wifi-password")),
    *(({name: _T}, _T) for name in ("apiKey", "githubToken", "client_secret", "X-Api-Key", "openaiApiKey")),
    ({"DEPLOY_KEY": "correct-horse-battery"}, "correct-horse-battery"),
    ({"password": "correct horse battery staple"}, "correct horse battery staple"),
    ({"password": 'ab"c' + "9d"}, 'ab"c' + "9d"),
    ({"password": "a\nb" + "9de"}, "b" + "9de"),
    ({"password": _P * 100}, _P),
    ({"password": 48213975}, 48213975),
    ({"password": {"value": _P}}, _P),
    ({"API_TOKEN": {"value": _T}}, _T),
    ([{"name": "DB_PASSWORD", "value": _P}], _P),
    ([{"key": "Authorization", "value": f"Bearer {_P}"}], _P),
    ([["Authorization", f"Bearer {_P}"]], _P),
    ([["password", _P]], _P),
    ({"Authorization": f"Basic {_T}"}, _T),
    ({"Cookie": f"theme=dark; sessionid={_P}"}, _P),
    ({"auths": {"r.test": {"auth": f"{_T}=="}}}, _T),
    ({"args": ["--user", "bob", "--password", _P]}, _P),
    ({"argv": ["curl", "-u", f"bob:{_P}", "https://x.test"]}, _P),
    ({"argv": ["mysql", "-u", "root", f"-p{_P}"]}, _P),
    ({"argv": ["sshpass", "-p", _P, "ssh", "h"]}, _P),
    ({"env": [f"POSTGRES_PASSWORD={_P}"]}, _P),
)
"""Values of JSON, each with its secret."""

NEAR_MISSES = (
    # placeholders and references
    *("API_KEY=your-api-key", "TOKEN=<TOKEN>", "password: changeme", "SECRET_KEY=GENERATE_ME", "TOKEN=${X}"),
    *(
        "password: ****",
        "PASSWORD=$PASSWORD",
        "api_key: YOUR_API_KEY_HERE",
        'token: "<your token>"',
        "KEY=%KEY%",
    ),
    *(
        'apiKey: "xxxxxxxxxxxxxxxx"',
        "API_TOKEN=...",
        "export OPENAI_API_KEY=sk-...",
        "TOKEN=ghp_xxxxxxxxxxxx",
    ),
    *(
        "password: {{ vault_db_password }}",
        "password: !vault",
        "password: *default",
        "secret: ENC[AES256,data:x1]",
    ),
    *("DB_PASSWORD=$(cat /run/secrets/db)", "export TOKEN=$(gh auth token)", "TOKEN=`pass show x1`"),
    *("password: vault:secret/data/app1#pw", "API_KEY=op://vault/item1/field", "password = var.db_password"),
    *(
        "postgres://user:password@localhost/db",
        "redis://:${REDIS_PASSWORD}@h",
        "https://<user>:<token>@github.com",
    ),
    *(
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "-H 'Authorization: Bearer YOUR_TOKEN'",
    ),
    *("curl -u user:password https://x.test", "curl -u $USER:$PASS https://x.test", "mysql -u root -p shop"),
    *(
        "sk-ant-api03-...",
        "sk-or-v1-<your key>",
        "hooks.slack.com/services/T/B",
        "ghp_token and github_pat_x",
    ),
    # paths
    *("TOKEN=/run/secrets/token1", "ssl_key=/etc/ssl/private/server1.key", "password: /run/secrets/db1_pw"),
    *("OLDPWD=/tmp/x1y2z3", "PWD=/home/x/project", "pwd: /tmp/work12", "private_key: ~/.ssh/id_ed25519"),
    *(
        "token_file: /var/run/secrets/token1",
        "SECRET_FILE=./secrets/prod1.env",
        "key: config/keys/v2/app.pem",
    ),
    # code
    *("token = get_token(user)", "password = os.environ['DB_PASSWORD']", "token = lexer.next_token_2()"),
    *("secret: process.env.JWT_SECRET", "password: input.password,", "const token = await getToken(2);"),
    *("password: passwordSchema.parse(input.password)", "password = models.CharField(max_length=128)"),
    *("api_key: Optional[str] = None", "password = Column(String(128))", "token: string; secret?: string;"),
    *("def login(user: str, password: str) -> Token:", "if (token === null || token.length < 32) {"),
    *("apiKey=options?.apiKey;if(!apiKey)throw Error(1)", "let token=parsed.sessions_token;return 1"),
    *("items.sort(key=lambda x: x.name)", 'for key in keys: print(key="value", token=token)', "keyCode: 13"),
    *(
        'const STATE_KEY = "openai-codex-responses2";',
        'ENV_SECRET = "AWS_SECRET_ACCESS_KEY"',
        "EOS_TOKEN = 50256",
    ),
    *('token="abc" if x else "def"', "token.type == TokenType.STRING2", "Token(type=NAME, value='x1')"),
    *("struct { password [32]byte }", 'fields = ["password", "username2", "token"]', "self.token = token2"),
    *(
        "@Secret()",
        "type Props = { apiKey: string | undefined }",
        "isTokenValid: true",
        "hasPassword: 12345678",
    ),
    *(
        "password_length = 12",
        "PASSWORD_MIN_LENGTH=12",
        '"passwordHash": undefined',
        "tokens: 12, cached: 34",
    ),
    *(
        "max_tokens: 4096, tokens=128",
        '{"total_tokens": 123456, "prompt_tokens": 555555}',
        "token_count=123456",
    ),
    *(
        '"next_token": "eyJ2IjoxfQ1234"',
        "pad_token: 151643",
        "cache-key: v1-deps-abc123def456",
        "page_token=ab12cd34",
    ),
    *(
        'partition_key="tenant#123456"',
        '<li key="item-12345678">',
        '"hotkey": "ctrl+alt+delete9"',
        "key: ArrowLeft",
    ),
    *(
        'key: "settings.account.delete_2"',
        "primary key: user_id",
        "FOREIGN KEY (user_id) REFERENCES users(id)",
    ),
    *("PUBLIC_KEY=ab12cd34ef56", "sort_key: created_at_2", "turkey: 12345678a", "monkey=abcdef123456"),
    # markup and configuration
    *(
        '<label for="password">Password:</label>',
        '<input type="password" name="password2">',
        "secretName: tls-2024",
    ),
    *(
        '<input name="csrf_token" value="{{ csrf_token() }}">',
        'token: "spacing-large-20"',
        "--token-file x1.txt",
    ),
    *(
        '"password": "Enter your password"',
        '"password": "Passwort"',
        '"token": "The token has expired (401)"',
    ),
    *(
        "password: required",
        "| password | string | 8 to 64 characters |",
        "| token | 12 | 34 |",
        "secret: true",
    ),
    *(
        "imagePullSecrets:\n- name: regcred-2024",
        "secretKeyRef:\n  name: shop-7\n  key: password",
        "key: value1",
    ),
    *("- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: shop-7", "permissions:\n  id-token: write"),
    # lock files and checksums
    *(
        f'checksum = "{_H}{HEX[:24]}"',
        f'"integrity": "sha512-{MIXED[:86]}=="',
        f"--hash=sha256:{_H}{HEX[:24]}",
    ),
    *(
        f"github.com/x/y v1.2.3 h1:{MIXED[:43]}=",
        f"commit {_H}",
        f'resolved "https://x.test/x-1.0.0.tgz#{_H}"',
    ),
    *(
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{MIXED[:43]} bob@h",
        f'ETag: W/"{HEX[:32]}"',
        "id: toolu_01cD1QlTKQr",
    ),
    *(
        f"-----BEGIN PUBLIC KEY-----\n{LINE}\n-----END PUBLIC KEY-----",
        "c71cc9b5-b59e-60ce-5898-9c777f510ef5",
    ),
    *(f"data:image/png;base64,{MIXED}", f"//# sourceMappingURL=data:application/json;base64,ey{MIXED}"),
    # logs and prose
    *(
        "SyntaxError: Unexpected token: ILLEGAL12 in JSON",
        "Unexpected token '<', \"<!DOCTYPE \"... is not valid",
    ),
    *("Your password: must contain 8 characters", "License key: see LICENSE", "The key: a token is a word."),
    *(
        "Authorization: required for this endpoint",
        "use --password to set the password",
        "mail bob@example.org",
    ),
    *("Cookie: consent=yes; theme=dark", "Set-Cookie: theme=dark; Path=/", "scp file bob@host:/tmp"),
    *(
        "http://localhost:8080/@scope/name",
        "http://localhost:8080/path@2",
        "ssh://git@github.com:22/user/repo",
    ),
    *("from 10:00 to 12:30 @ room", "http://[::1]:8080/@x", "passed: 12, failed: 0", "bypass: 12345678"),
    *(
        "apt\tpasswd\t1:4.13+dfsg1-1",
        "readFile('/etc/passwd', 'utf8', done)",
        "password is required (code 42)",
    ),
    *("arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf", "docker run -p 8080:80 x"),
    *("grep -rn password: src1/", "git push -u origin branch-2", "tar -xpf a1.tar", "ssh -p 2222 bob@h"),
    *(
        'class="sk-circle-fade-dot sk-loading-spinner-large-blue"',
        "task-management-and-risk-assessment-of-a-disk",
    ),
    *(
        "AIzaSyD3v8Qk2m",
        "npm_config_registry",
        "sk_test_key",
        "eyJhbGciOiJIUzI1NiJ9",
        "hf_hub_download_with_a_long",
    ),
)
"""Texts without a secret."""
