"""Prepared pieces of text, already escaped for JSON, so that gigabytes are written by joining strings."""

from __future__ import annotations

import json
import random
from typing import NamedTuple

_WORDS = (
    "the a of to and in is for that with on it this be as from are not by at or an if when which then so we "
    "test login token cache session parser tree branch leaf label index query cursor widget layout screen "
    "function module import error trace stack timeout retry socket buffer stream file path folder config "
    "value field record header entry line byte offset column table schema migrate update insert delete merge "
    "fails passes returns raises blocks hangs leaks renders scrolls resolves compiles depends breaks holds "
    "slow fast stale broken missing empty duplicate nested async shared private public frozen lazy "
    "refactor rename extract inline rewrite benchmark profile document review commit revert deploy "
    "naïve Grüße café 日本語 テスト 검색 проверка 🎉 ✅"
)
_NAMES = "parse load save read write open close find sort walk fold scan draw emit bind send wait lock"
_THINGS = "Token Cache Session Tree Node Label Index Query Screen Store Header Entry Writer Reader Path"
WORDS, NAMES, THINGS = _WORDS.split(), _NAMES.split(), _THINGS.split()


class Text(NamedTuple):
    """A piece of text, and the same text as a JSON string with its quotes."""

    plain: str
    json: str


class Usage(NamedTuple):
    """Tokens and cost of an answer (None if its price is not known), and their JSON in camelCase and in
    snake_case.
    """

    tokens: tuple[int, int, int, int]
    cost: float | None
    camel: str
    snake: str


class ToolCall(NamedTuple):
    """A tool's name and its arguments as JSON."""

    name: str
    arguments: str


def _text(plain: str) -> Text:
    return Text(plain, json.dumps(plain, ensure_ascii=False))


class Chunks:
    """Pools to draw from; the same `seed` gives the same pools.

    `scale` shrinks the pools (a tiny corpus must not spend its time on preparing text).
    """

    def __init__(self, seed: int, scale: float = 1.0) -> None:
        rng = random.Random(f"chunks {seed}")
        self._rng = rng
        many = max(12, int(400 * scale))
        self.prompts = [_text(self.sentence(rng.randint(4, 24))) for _ in range(many)]
        self.prompts += [_text("\n\n".join(self.paragraph(4) for _ in range(3))) for _ in range(many // 8)]
        self.prose = [_text(self.paragraph(int(rng.lognormvariate(1.3, 0.9)) + 1)) for _ in range(many)]
        self.thinking = [_text(self.paragraph(int(rng.lognormvariate(1.2, 0.8)) + 1)) for _ in range(many)]
        sizes = [min(int(rng.lognormvariate(6.45, 1.25)), 60_000) for _ in range(many)]
        self.output = [_text(self.code(size)) for size in sizes]
        self.calls = [self.call() for _ in range(many)]
        self.usages = [self._usage() for _ in range(many)]
        self.short = [self.sentence(rng.randint(2, 5)).rstrip(".") for _ in range(many)]

    def sentence(self, words: int) -> str:
        text = " ".join(self._rng.choices(WORDS, k=words))
        return text[0].upper() + text[1:] + "."

    def paragraph(self, sentences: int) -> str:
        return " ".join(self.sentence(self._rng.randint(5, 16)) for _ in range(sentences))

    def code(self, size: int) -> str:
        rng, lines, length = self._rng, [], 0
        while length < size:
            name = f"{rng.choice(NAMES)}_{rng.choice(WORDS[:90])}"
            line = rng.choice(
                (
                    f'    {name} = self.{rng.choice(NAMES)}({rng.randint(0, 9999)}, "{rng.choice(WORDS)}")',
                    f"\tif ({rng.choice(THINGS).lower()} != null) {{ return new {rng.choice(THINGS)}(); }}",
                    f"src/{rng.choice(WORDS[:90])}/{name}.py:{rng.randint(1, 900)}: {self.sentence(6)}",
                    f"def {name}(value: {rng.choice(THINGS)}) -> bytes:  # {self.sentence(4)}",
                    f"{rng.getrandbits(64):016x}  C:\\work\\{name}\\{rng.choice(THINGS)}.ts",
                )
            )
            lines.append(line)
            length += len(line) + 1
        return "\n".join(lines)

    def call(self) -> ToolCall:
        rng = self._rng
        path = f"src/{rng.choice(WORDS[:90])}/{rng.choice(NAMES)}.py"
        name, arguments = rng.choice(
            (
                ("read", {"path": path, "offset": rng.randint(1, 400), "limit": 80}),
                (
                    "bash",
                    {"command": f"pytest -q {path} -k {rng.choice(NAMES)} 2>&1 | tail -20", "timeout": 60},
                ),
                ("grep", {"pattern": f"{rng.choice(NAMES)}_\\w+", "path": "src"}),
                ("edit", {"path": path, "oldText": self.code(300), "newText": self.code(360)}),
                ("write", {"path": path, "content": self.code(900)}),
            )
        )
        return ToolCall(name, json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))

    def _usage(self) -> Usage:
        rng = self._rng
        tokens = (rng.randint(1, 900), rng.randint(5, 2500), rng.randint(0, 90_000), rng.choice((0, 0, 1200)))
        parts = [round(count * rate / 1e6, 6) for count, rate in zip(tokens, (3, 15, 0.3, 3.75), strict=True)]
        cost = round(sum(parts), 6)
        total = sum(tokens)
        camel = (
            f'{{"input":{tokens[0]},"output":{tokens[1]},"cacheRead":{tokens[2]},"cacheWrite":{tokens[3]},'
            f'"totalTokens":{total},"cost":{{"input":{parts[0]},"output":{parts[1]},"cacheRead":{parts[2]},'
            f'"cacheWrite":{parts[3]},"total":{cost}}}}}'
        )
        snake = (
            f'{{"input":{tokens[0]},"output":{tokens[1]},"cache_read":{tokens[2]},"cache_write":{tokens[3]},'
            f'"total_tokens":{total}}}'
        )
        return Usage(tokens, cost, camel, snake)
