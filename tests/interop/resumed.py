"""The real pi and oh-my-pi go on with a session, and a model server on this machine keeps what they send."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.interop.install import Installed
    from tests.interop.provider import Provider

_SECONDS = 120
_MODEL = "large-1"


class Resumed:
    """An agent with a home of its own, whose only model is at `provider`."""

    def __init__(self, agent: str, installed: Installed, home: Path, provider: Provider) -> None:
        self.agent, self.installed, self.home, self.provider = agent, installed, home, provider
        self.work = home / "work"
        folder = home / f".{agent}" / "agent"
        for each in (self.work, home / "tmp", folder):
            each.mkdir(parents=True, exist_ok=True)
        model = {
            "id": _MODEL,
            "name": _MODEL,
            "input": ["text", "image"],
            "contextWindow": 10**8,
            "maxTokens": 999,
        }
        server = {"baseUrl": provider.url, "api": "anthropic-messages", "apiKey": "x", "models": [model]}
        name = "models.json" if agent == "pi" else "models.yml"
        (folder / name).write_text(json.dumps({"providers": {"here": server}}))

    def sent(self, path: str, prompt: str) -> dict[str, Any]:
        """The request with which the agent goes on with the session at `path`, in the folder `work`."""
        if self.agent == "pi":
            command = [self.installed.node, f"{self.installed.pi}/dist/cli.js", "-p", "--session", path]
            command += ["--provider", "here", "--model", _MODEL]
        else:
            command = [self.installed.bun, f"{self.installed.omp}/src/cli.ts", "-p", "--resume", path]
            command += ["--model", f"here/{_MODEL}"]
        env = {
            "HOME": str(self.home),
            "PATH": os.path.dirname(command[0]) + os.pathsep + os.defpath,
            "TMPDIR": str(self.home / "tmp"),
            "PI_OFFLINE": "1",
            "BUN_RUNTIME_TRANSPILER_CACHE_PATH": str(Path(self.installed.bun).parents[4] / "transpiled"),
        }
        done = subprocess.run(
            [*command, prompt],
            cwd=self.work,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return self.provider.request(prompt)


def texts_of(body: dict[str, Any]) -> list[str]:
    """The texts of a request to the model, in order, with those of results."""
    found = []
    for message in body["messages"]:
        content = message["content"]
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            if block["type"] == "text":
                found.append(block["text"])
            elif block["type"] == "tool_result":
                inner = block.get("content") or []
                inner = inner if isinstance(inner, list) else [{"type": "text", "text": inner}]
                found += [each["text"] for each in inner if each["type"] == "text"]
    return found
