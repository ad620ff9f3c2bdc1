"""A stand-in for the providers of Claude Code and Codex, on this machine, which keeps the requests.

It answers the prompt "look" with two calls of tools, "go inside" with the command `cd inner`, "ask another"
with a sub-agent, and "fail" with the status 400. The answer to "hang" begins and does not end. Every other
prompt, also the result of a call, gets a text that repeats it. Nothing is sent to another machine.
"""

from __future__ import annotations

import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ANSWER = "a purple otter"
FAILURE = "no otter today"
_ENDS = ("_stop", ".done", ".completed")
"""How the kinds of events end with which a part of an answer ends."""
_LONGEST_ECHO = 40
"""Characters of a prompt that the answer repeats."""


def answer_to(prompt: str) -> str:
    """The answer to a prompt that is nothing else."""
    return f"{ANSWER}: {prompt[:_LONGEST_ECHO]}"


class Provider:
    """The server, which runs until `close`."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.changed = threading.Condition()
        self.closed = threading.Event()
        self.before: dict[str, Callable[[], None]] = {}
        """Prompts, and what is called before they are answered."""
        handler = type("Handler", (_Handler,), {"provider": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def keep(self, prompt: str, body: dict[str, Any]) -> int:
        """Keep a request, and return its number."""
        with self.changed:
            self.requests.append((prompt, body))
            self.changed.notify_all()
            return len(self.requests)

    def request(self, prompt: str) -> dict[str, Any]:
        """The last request that ends with `prompt`, as soon as there is one."""

        def found() -> dict[str, Any] | None:
            return next((body for end, body in reversed(self.requests) if end == prompt), None)

        with self.changed:
            body = self.changed.wait_for(found, PATIENCE)
        assert body is not None, f"no request ends with {prompt!r}"
        return body

    def close(self) -> None:
        self.closed.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    provider: Provider

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        self._send(404, b"{}", "application/json")

    def do_HEAD(self) -> None:
        self._send(200, b"", "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        path = self.path.partition("?")[0]
        events_of: Callable[[dict[str, Any], str, int], Iterator[tuple[str, dict[str, Any]]]]
        if path.endswith("/messages"):
            prompt, events_of = _anthropic_prompt(body), _anthropic
        elif path.endswith("/responses"):
            prompt, events_of = _openai_prompt(body), _openai
        else:
            self._send(404, b"{}", "application/json")
            return
        number = self.provider.keep(prompt, body)
        self.provider.before.get(prompt, lambda: None)()
        if prompt == "fail":
            error = {"type": "invalid_request_error", "message": FAILURE}
            self._send(400, json.dumps({"type": "error", "error": error}).encode(), "application/json")
            return
        events = list(events_of(body, prompt, number))
        if prompt == "hang":
            events = list(itertools.takewhile(lambda event: not event[0].endswith(_ENDS), events))
        text = "".join(
            f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n" for kind, data in events
        )
        self._send(200, text.encode(), "text/event-stream", ends=prompt != "hang")

    def _send(self, status: int, body: bytes, kind: str, *, ends: bool = True) -> None:
        """Send an answer.

        :param ends: all of it is sent; else the rest does not come before the provider is closed.
        """
        try:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header(*(("content-length", str(len(body))) if ends else ("connection", "close")))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()
            if not ends:
                self.provider.closed.wait()
        except OSError:
            # The agent was interrupted, and does not want the answer any more.
            self.close_connection = True


def _anthropic_prompt(body: dict[str, Any]) -> str:
    """The last text of the last message, which in newer models a message of the role `system` may follow; ""
    if it has the result of a call.
    """
    last = next(message for message in reversed(body["messages"]) if message["role"] != "system")["content"]
    blocks = last if isinstance(last, list) else [{"type": "text", "text": last}]
    if any(block["type"] == "tool_result" for block in blocks):
        return ""
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    return texts[-1].strip() if texts else ""


def _anthropic(body: dict[str, Any], prompt: str, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    calls: list[tuple[str, dict[str, Any]]] = []
    if not body.get("tools"):
        pass
    elif prompt == "look":
        calls = [("Bash", {"command": "ls", "description": "List"}), ("Read", {"file_path": "a.txt"})]
    elif prompt == "go inside":
        calls = [("Bash", {"command": "cd inner", "description": "Go"})]
    elif prompt == "ask another":
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
    yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": answer_to(prompt)}}
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


def _openai_prompt(body: dict[str, Any]) -> str:
    """The text of the last item; "" if it is the result of a call."""
    return "".join(block.get("text", "") for block in body["input"][-1].get("content") or ())


def _openai(_: dict[str, Any], prompt: str, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    items: list[dict[str, Any]] = []
    if prompt == "look":
        items.append({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]})
        for name, command in (("a", "ls"), ("b", "cat nothing.txt")):
            arguments = json.dumps({"cmd": command})
            items.append({"type": "function_call", "call_id": f"call_{number}{name}", "arguments": arguments})
        for item in items[1:]:
            item["name"] = "exec_command"
    elif prompt == "ask another":
        call = {"type": "function_call", "namespace": "multi_agent_v1", "name": "spawn_agent"}
        arguments = json.dumps({"message": "what is in a.txt"})
        items.append({**call, "call_id": f"call_{number}", "arguments": arguments})
    else:
        content = [{"type": "output_text", "text": answer_to(prompt)}]
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
    yield "response.created", {"response": {"id": f"resp_{number}"}}
    for index, item in enumerate(items):
        yield "response.output_item.done", {"output_index": index, "item": item}
    yield "response.completed", {"response": {"id": f"resp_{number}", "usage": usage}}
