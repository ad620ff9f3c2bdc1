"""A stand-in for the providers of Claude Code and Codex, on this machine.

It answers the prompt "look" with two calls of tools, and "ask another" with a sub-agent. Everything else,
also the results of calls, gets a text. Nothing is sent to another machine.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    Events = list[tuple[str, dict[str, Any]]]

ANSWER = "a purple otter"


class Provider:
    """The server, which runs until `close`."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    number = 0

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        self._send(404, b"{}", "application/json")

    def do_HEAD(self) -> None:
        self._send(200, b"", "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        _Handler.number += 1
        path = self.path.partition("?")[0]
        if path.endswith("/messages"):
            events = list(_anthropic(body, _Handler.number))
        elif path.endswith("/responses"):
            events = _openai(body, _Handler.number)
        else:
            self._send(404, b"{}", "application/json")
            return
        text = "".join(
            f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n" for kind, data in events
        )
        self._send(200, text.encode(), "text/event-stream")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _anthropic(body: dict[str, Any], number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    last = body["messages"][-1]["content"]
    blocks = last if isinstance(last, list) else [{"type": "text", "text": last}]
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    calls: list[tuple[str, dict[str, Any]]] = []
    if not body.get("tools") or any(block["type"] == "tool_result" for block in blocks):
        pass
    elif "look" in texts:
        calls = [("Bash", {"command": "ls", "description": "List"}), ("Read", {"file_path": "a.txt"})]
    elif "ask another" in texts:
        task = {"description": "Look", "prompt": "what is in a.txt", "subagent_type": "general-purpose"}
        calls = [("Agent", task)]
    usage = {
        "input_tokens": 11,
        "cache_creation_input_tokens": 5,
        "cache_read_input_tokens": 7,
        "output_tokens": 1,
    }
    head = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
    }
    yield "message_start", {"message": {**head, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": ANSWER}}
    yield "content_block_stop", {"index": 0}
    for index, (name, arguments) in enumerate(calls, 1):
        block = {"type": "tool_use", "id": f"toolu_{number}_{index}", "name": name, "input": {}}
        yield "content_block_start", {"index": index, "content_block": block}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    yield "message_delta", {"delta": stop, "usage": {"output_tokens": 42}}
    yield "message_stop", {}


def _openai(body: dict[str, Any], number: int) -> Events:
    last = body["input"][-1]
    text = "".join(block.get("text", "") for block in last.get("content") or ())
    items: list[dict[str, Any]] = []
    if text == "look":
        items.append({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]})
        for name, command in (("a", "ls"), ("b", "cat nothing.txt")):
            arguments = json.dumps({"cmd": command})
            items.append({"type": "function_call", "call_id": f"call_{number}{name}", "arguments": arguments})
        for item in items[1:]:
            item["name"] = "exec_command"
    elif text == "ask another":
        call = {"type": "function_call", "namespace": "multi_agent_v1", "name": "spawn_agent"}
        arguments = json.dumps({"message": "what is in a.txt"})
        items.append({**call, "call_id": f"call_{number}", "arguments": arguments})
    else:
        content = [{"type": "output_text", "text": ANSWER}]
        items.append({"type": "message", "role": "assistant", "content": content})
    for index, item in enumerate(items):
        item["id"] = f"item_{number}_{index}"
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 40},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 3},
        "total_tokens": 120,
    }
    done = [("response.output_item.done", {"output_index": n, "item": item}) for n, item in enumerate(items)]
    ended = ("response.completed", {"response": {"id": f"resp_{number}", "usage": usage}})
    return [("response.created", {"response": {"id": f"resp_{number}"}}), *done, ended]
