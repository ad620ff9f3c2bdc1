"""Write the table of prices: ``python -m tests.prices FILE [DATE]``.

FILE is the wheel of litellm from PyPI (``pip download litellm --no-deps``), whose table of prices is kept by
many people. Prices are facts; only those of Anthropic's and OpenAI's models for coding are taken, each under
the model's own name. DATE is the day of the wheel, today if it is left out.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.formats import model_name
from app.formats.prices import SIZES

TABLE = Path(__file__).parent.parent / "app" / "formats" / "price_table.py"
_FILE = "litellm/model_prices_and_context_window_backup.json"
_PROVIDERS = (
    *("anthropic", "openai", "bedrock_converse", "bedrock"),
    *("vertex_ai-anthropic_models", "azure", "azure_ai"),
)
"""Whose price is taken, the first that has one: the maker's own, else that of a provider."""
_WANTED = re.compile(r"claude-(?!instant|v)|gpt-(?:4\.1|[5-9])|o[34]-|o3$|codex-")
_UNWANTED = re.compile(r"audio|search|realtime|image|transcribe|tts|deep-research|chat$|cyber|rosalind|-law$")
_AMOUNTS = (
    *("input_cost_per_token", "output_cost_per_token"),
    *("cache_read_input_token_cost", "cache_creation_input_token_cost"),
)

_HEAD = '''"""Dollars for a million tokens of the models of Anthropic and OpenAI: ``python -m tests.prices``.

The numbers are the fields of `formats.prices.Price`.
"""

from __future__ import annotations

SOURCE, DATE = "{source}", "{date}"
"""The package from PyPI with the table that these prices are from, and its day."""

PRICES: dict[str, tuple[float, ...]] = {{
'''


def own_names(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The name of each wanted model -> its entry."""
    ranked = sorted(
        (_PROVIDERS.index(entry["litellm_provider"]), len(key), key)
        for key, entry in table.items()
        if entry.get("litellm_provider") in _PROVIDERS
        and entry.get("mode") in ("chat", "responses")
        and "gov" not in key
    )
    found: dict[str, dict[str, Any]] = {}
    for _, _, key in ranked:
        name = model_name(key)
        if key.startswith("ft:") or not _WANTED.match(name) or _UNWANTED.search(name):
            continue
        if table[key].get("input_cost_per_token") and table[key].get("output_cost_per_token"):
            found.setdefault(name, table[key])
    return dict(sorted(found.items()))


def price(name: str, entry: dict[str, Any]) -> list[float]:
    """The numbers of a model. A part that has no price of its own costs as much as input, and with Claude the
    part of it that Anthropic names in its documentation.
    """

    def dollars(field: str, suffix: str = "") -> float:
        return round(entry.get(field + suffix, 0) * 1e6, 6)

    sent, received, read, written = (dollars(each) for each in _AMOUNTS)
    parts = (0.1, 1.25, 2) if name.startswith("claude") else (1, 1, 0)
    read, written = read or round(sent * parts[0], 6), written or round(sent * parts[1], 6)
    for_an_hour = dollars(_AMOUNTS[3], "_above_1hr") or sent * parts[2] or written
    numbers = [sent, received, read, written, for_an_hour]
    for size in SIZES:
        suffix = f"_above_{size // 1000}k_tokens"
        if entry.get("input_cost_per_token" + suffix):
            long = [dollars(each, suffix) for each in _AMOUNTS]
            factor = long[0] / sent
            numbers += [
                size,
                *long[:2],
                long[2] or round(read * factor, 6),
                long[3] or round(written * factor, 6),
            ]
            break
    return [int(each) if each == int(each) else each for each in numbers]


def main() -> None:
    """Write the table."""
    path = Path(sys.argv[1])
    date = sys.argv[2] if len(sys.argv) > 2 else f"{datetime.now(UTC):%Y-%m-%d}"
    with zipfile.ZipFile(path) as wheel:
        table = json.loads(wheel.read(_FILE))
    names = own_names({key: entry for key, entry in table.items() if isinstance(entry, dict)})
    lines = [f'    "{name}": ({", ".join(map(str, price(name, entry)))}),\n' for name, entry in names.items()]
    head = _HEAD.format(source=" ".join(path.name.split("-")[:2]), date=date)
    TABLE.write_text(head + "".join(lines) + "}\n")


if __name__ == "__main__":
    main()
