"""The page: its policy, and that a hostile session adds no element, no attribute and no address to load."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from app.export import Choice
from app.redact import Redactor
from tests.export.hostile import HOST, write_hostile
from tests.export.test_formats import conversation, exported, work

ELEMENTS = set(
    re.findall(
        r"\w+",
        "html head meta title style body header h1 p span div input button kbd main article h2 a time details"
        " b summary pre nav label ol ul li footer script em strong code table thead tbody tr th td img",
    )
)
ATTRIBUTES = set(
    re.findall(
        r"[\w-]+",
        "lang http-equiv content charset name id class type placeholder aria-label autocomplete role tabindex"
        " href datetime title rel open hidden src alt for",
    )
)


class Elements(HTMLParser):
    """Collects elements with their attributes, and the text of style and script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.code: dict[str, list[str]] = {"style": [], "script": []}
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
        if tag in self.code:
            self.code[tag].append("")
            self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.code[self._inside][-1] += data


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = write_hostile(tmp_path_factory.mktemp("hostile") / "h.jsonl")
    return exported(path, "html", Choice(all_branches=True, images=True), redactor=Redactor())


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_is_first_and_permits_only_the_pages_own_style_and_script(hostile: str) -> None:
    page = Elements(hostile)
    tag, policy = page.found[2]
    assert (tag, policy["http-equiv"]) == ("meta", "Content-Security-Policy")
    (style,) = page.code["style"]
    data, script = page.code["script"]
    assert policy["content"] == (
        f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert ("meta", {"name": "referrer", "content": "no-referrer"}) in page.found
    assert "<" not in data
    assert set(json.loads(data)) == {"parents", "leaf"}


def test_a_hostile_session_adds_nothing_that_runs_or_loads(hostile: str) -> None:
    page = Elements(hostile)
    assert {tag for tag, _ in page.found} <= ELEMENTS
    for tag, attributes in page.found:
        assert set(attributes) <= ATTRIBUTES, (tag, attributes)
        if "src" in attributes:
            assert attributes["src"].startswith("data:image/png;base64,")
        if "href" in attributes:
            assert re.match(r"#e\d+$|https?://|mailto:", attributes["href"]), attributes
    counts = [tag for tag, _ in page.found]
    assert (counts.count("script"), counts.count("style"), counts.count("main")) == (2, 1, 1)
    assert ("a", {"href": f"https://{HOST}/i.png", "rel": "noopener noreferrer nofollow"}) in page.found
    assert not set("\x1b\x00\u202e") & set(hostile)


def test_labels_and_entries_are_linked_by_number(tmp_path: Path) -> None:
    text = exported(conversation(tmp_path / "s.jsonl"), "html", Choice(all_branches=True))
    page = Elements(text)
    anchors = {
        attributes["id"] for tag, attributes in page.found if re.match(r"e\d+$", attributes.get("id", ""))
    }
    assert anchors == {"e1", "e2", "e3", "e4", "e5", "e8", "e9"}
    (result,) = [tag for tag, attributes in page.found if attributes.get("id") == "e3"]
    assert result == "details"  # the result of a tool is a part of the answer
    links = {
        attributes["href"][1:] for tag, attributes in page.found if attributes.get("href", "").startswith("#")
    }
    assert links <= anchors
    assert '<p class="mark"><a href="#e1">◆ start</a></p>' in text
    assert 'A branch from <a href="#e2">entry 2</a>' in text
    assert 'Ψ 1 other branch starts here:\n<a href="#e5">The second answer.</a>' in text
    assert 'Ψ 1 other branch starts here:\n<a href="#e4">The first answer.</a>' in text


PROBE = """
<script>
const results = {};
const check = () => {
  const articles = [...document.querySelectorAll("article")];
  const shown = () => articles.filter((each) => !each.hidden).map((each) => each.id);
  const key = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  results.title = document.title;
  results.first = shown();
  const listed = () => [...document.querySelectorAll("nav li.user, nav li.assistant")]
    .filter((each) => each.offsetParent).map((each) => each.querySelector("a").hash.slice(1));
  results.prompts = listed().slice(0, 1).concat(listed().slice(-1));
  document.getElementById("all-entries").click();
  results.entries = listed();
  document.querySelector("nav ol a[href='#e2']").click();
  results.afterClick = shown();
  results.hash = location.hash;
  key("j");
  results.afterKey = document.activeElement.id;
  const input = document.getElementById("search");
  input.value = "the other branch";
  input.dispatchEvent(new Event("input"));
  results.found = document.getElementById("found").textContent;
  key("n");
  results.hit = document.activeElement.id;
  results.afterHit = shown();
  results.loaded = performance.getEntriesByType("resource").map((each) => each.name);
  document.body.textContent = "RESULTS" + JSON.stringify(results) + "END";
};
addEventListener("load", () => setTimeout(check, 0));
</script>
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium")
def test_in_chromium_nothing_runs_or_loads_and_tree_search_and_links_work(tmp_path: Path) -> None:
    path = write_hostile(tmp_path / "h.jsonl")
    text = exported(path, "html", Choice(all_branches=True, images=True))
    page = tmp_path / "page.html"
    page.write_text(text, "utf-8")
    log = tmp_path / "net.json"
    dom = dumped(page, tmp_path, log)
    assert "ran" not in re.findall(r"<title>(.*?)</title>", dom)
    # Only the page itself was asked for.
    network = log.read_text("utf-8", "replace")
    assert HOST not in network
    # The policy stops every other script, so that of the test gets a digest there as well.
    probe = re.search(r"<script>(.*?)</script>", PROBE, re.DOTALL)
    assert probe is not None
    probed = text.replace("script-src ", f"script-src {digest(probe[1])} ", 1)
    probed = probed.replace("</body>", f"{PROBE}</body>")
    page.write_text(probed, "utf-8")
    dom = dumped(page, tmp_path, log)
    results = json.loads(re.search(r"RESULTS(.*?)END", dom, re.DOTALL)[1])  # type: ignore[index]
    assert results["title"] != "ran"
    assert results["loaded"] == []
    other = ["e1", "e85", "e86"]
    assert results["first"] == other
    assert results["afterClick"][0] == "e1"
    assert "e86" not in results["afterClick"]
    assert results["hash"] == "#e2"
    assert results["afterKey"] == "e4"
    assert results["prompts"] == ["e1", "e85"]
    assert results["entries"][:3] == ["e1", "e2", "e8"]
    assert results["found"] == "2 found"
    assert results["hit"] == "e85"
    assert results["afterHit"] == other
    # Without the test's digest, its script does not run.
    page.write_text(text.replace("</body>", f"{PROBE}</body>"), "utf-8")
    assert "RESULTS{" not in dumped(page, tmp_path, log)


FRAMES = """
<body><script>
const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
const light = (colour) => {
  const [r, g, b] = colour.slice(0, 3).map((each) => each / 255)
    .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
};
const ground = (one) => {
  for (; one; one = one.parentElement) {
    const colour = rgb(one.ownerDocument.defaultView.getComputedStyle(one).backgroundColor);
    if (colour.length < 4) return colour;
  }
};
const faint = (root, theme) => {
  root.className = theme;
  const found = new Set();
  for (const one of root.querySelectorAll("body *:not(script, button, input, .hl span)")) {
    const hasText = [...one.childNodes].some((each) => each.nodeType === 3 && each.data.trim());
    if (!hasText || !one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const pair = [light(rgb(one.ownerDocument.defaultView.getComputedStyle(one).color)), light(ground(one))];
    if (Math.max(...pair) / Math.min(...pair) < 4.5) found.add(`${theme}: ${one.outerHTML.slice(0, 80)}`);
  }
  return [...found];
};
addEventListener("load", () => setTimeout(() => {
  const results = [...document.querySelectorAll("iframe")].map((each) => {
    const root = each.contentDocument.documentElement;
    const wide = [...root.querySelectorAll("article *")]
      .filter((one) => one.getBoundingClientRect().right > each.width);
    return {
      width: each.width,
      scrolled: root.scrollWidth,
      wide: wide.map((one) => one.outerHTML.slice(0, 80)).slice(0, 3),
      hidden: root.querySelectorAll("article[hidden]").length,
      controls: root.querySelector("button").checkVisibility(),
      faint: [...faint(root, "light"), ...faint(root, "dark")].slice(0, 5),
    };
  });
  document.body.textContent = "RESULTS" + JSON.stringify(results) + "END";
}, 0));
</script>
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium")
def test_in_chromium_each_page_is_readable_narrow_and_wide_light_and_dark_and_without_scripts(
    tmp_path: Path,
) -> None:
    texts = [
        exported(work(tmp_path / "w.jsonl"), "html"),
        exported(conversation(tmp_path / "s.jsonl"), "html", Choice(all_branches=True)),
        exported(write_hostile(tmp_path / "h.jsonl"), "html", Choice(all_branches=True)),
    ]
    # A frame may be narrower than the window of a browser. A sandbox without more permits no scripts.
    kinds = [(width, sandbox) for width in (360, 1280) for sandbox in ("", 'sandbox="allow-same-origin"')]
    frames = "".join(
        f'<iframe width="{width}" height="800" {sandbox} srcdoc="{html.escape(text)}"></iframe>'
        for width, sandbox in kinds
        for text in texts
    )
    page = tmp_path / "page.html"
    page.write_text(FRAMES + frames, "utf-8")
    dom = dumped(page, tmp_path, tmp_path / "net.json")
    found = json.loads(re.search("RESULTS(.*?)END", html.unescape(dom), re.DOTALL)[1])  # type: ignore[index]
    assert len(found) == len(kinds) * len(texts)
    for number, each in enumerate(found):
        width, sandbox = kinds[number // len(texts)]
        assert (each["scrolled"], each["wide"]) == (width, []), each
        assert each["faint"] == [], each
        assert each["controls"] == (not sandbox), "the buttons are there only if they work"
        assert not (sandbox and each["hidden"]), "without scripts every branch is shown"


def dumped(page: Path, folder: Path, log: Path) -> str:
    """Return the page as Chromium has it after its scripts ran; the requests are in `log`."""
    done = subprocess.run(
        [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={folder / 'profile'}",
            f"--log-net-log={log}",
            "--virtual-time-budget=5000",
            "--hide-scrollbars",
            "--dump-dom",
            page.as_uri(),
        ],
        env={"HOME": str(folder), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
