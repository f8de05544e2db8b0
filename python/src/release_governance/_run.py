"""One run of an agent, timed and counted."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Optional, TypeVar

from ._emitter import Emitter
from ._usage import BUILD, Counts, UsageError, count, source_of

T = TypeVar("T")

_PROVIDERS = {"gemini": "google"}
_MODEL_FIELDS = ("model", "model_version", "modelVersion")


def run(emitter: Emitter, *, provider: Optional[str] = None, model: Optional[str] = None, **fields: Any) -> Run:
    """A run, which becomes an event when its block ends:

        with run(emitter, release_id=release_id, tenant_id="acme") as this:
            answer = this.count(client.responses.create(model="gpt-4.1-mini", input=question))

    One that raises, or is cancelled, has failed. `provider` and `model` are the names in the release's price table. They
    are needed for a run that fails before a response says them. It works with `async with`, too.
    """
    return Run(emitter, provider, model, fields)


class Run:
    """See `run`. A run that succeeds without all of its tokens known is left out and counted, never sent as a cheaper
    one. One that fails is stored whatever it used, with `usage.incomplete` where a model may have been at work."""

    def __init__(
        self, emitter: Emitter, provider: Optional[str], model: Optional[str], fields: Mapping[str, Any]
    ) -> None:
        self._emitter = emitter
        self._names = (provider, model)
        self._fields = dict(fields)
        self._parts: dict[tuple[str, str, Optional[str]], Counts] = {}
        self._tools: dict[str, int] = {}
        self._problem: Optional[str] = None
        self._failure: Optional[str] = None
        self._started = time.monotonic()
        self._first_token: Optional[float] = None

    def count(
        self, response: T, *, provider: Optional[str] = None, model: Optional[str] = None, source: Optional[str] = None
    ) -> T:
        """Adds the tokens of a response to the run, and returns the response. Never raises."""
        try:
            whose = source or source_of(response)
            answered = next(filter(None, (_text(response, name) for name in _MODEL_FIELDS)), None)
            main_provider, main = self._names
            requested = model or (main if main and (answered is None or _is_served_as(main, answered)) else answered)
            if requested is None:
                raise UsageError("the response doesn't name its model; give `model`")
            served = None if answered is None or _is_served_as(requested, answered) else answered
            key = (provider or main_provider or _PROVIDERS.get(whose, whose), requested, served)
            self._parts[key] = self._parts.get(key, Counts()) + count(response, whose, self._emitter._doubt)
        except Exception as error:
            self._problem = self._problem or str(error)
        return response

    def tool(self, name: str) -> None:
        """Counts a call of a tool."""
        self._tools[name] = self._tools.get(name, 0) + 1

    def first_token(self) -> None:
        """Says that the first token of an answer is here: call it at each chunk of a stream, the first call counts."""
        if self._first_token is None:
            self._first_token = time.monotonic()

    def score(self, **scores: float) -> None:
        """Says how good the run was, by name."""
        self._fields["scores"] = {**self._fields.get("scores", {}), **scores}

    def fail(self, error_type: str) -> None:
        """Says that the run failed, though it raises nothing: all that it used is counted."""
        self._failure = error_type

    def __enter__(self) -> Run:
        self._started = time.monotonic()
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        _traceback: Optional[TracebackType],
    ) -> None:
        try:
            self._end(error)
        except Exception as problem:
            self._leave_out(str(problem))

    async def __aenter__(self) -> Run:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.__exit__(kind, error, traceback)

    def _end(self, error: Optional[BaseException]) -> None:
        failure = type(error).__name__ if error is not None else self._failure
        if failure is None and self._problem is not None:
            return self._leave_out(self._problem)
        parts = [_part(*key, counts) for key, counts in self._parts.items()]
        if not parts:
            provider, model = self._names
            if failure is None:
                return self._leave_out("no response was counted in a run")
            if provider is None or model is None:
                return self._leave_out("a run failed before a response said its model; give `provider` and `model`")
            parts = [_part(provider, model, None, Counts())]
        parts.sort(key=lambda part: (part["model"] != self._names[1], -part["input_tokens"] - part["output_tokens"]))
        usage: dict[str, Any] = {"model": parts[0]}
        if len(parts) > 1:
            usage["models"] = parts[1:]
        if self._tools:
            usage["tools"] = [{"tool_name": name, "invocations": calls} for name, calls in self._tools.items()]
        if self._problem is not None or (error is not None and not _is_unbilled(error)):
            usage["incomplete"] = True
        metrics: dict[str, Any] = {
            "success": failure is None,
            "latency_ms": round((time.monotonic() - self._started) * 1000),
            "error_type": failure,
        }
        if self._first_token is not None:
            metrics["ttft_ms"] = round((self._first_token - self._started) * 1000)
        self._emitter.emit({**self._fields, "metrics": metrics, "usage": usage})

    def _leave_out(self, problem: str) -> None:
        self._emitter.count_lost(self._fields)
        self._emitter._say(f"a run was left out: {problem}", 1)


def _text(response: Any, name: str) -> Optional[str]:
    value = response.get(name) if isinstance(response, Mapping) else getattr(response, name, None)
    return value if isinstance(value, str) and value else None


def _is_served_as(requested: str, answered: str) -> bool:
    wanted, got = (name.rsplit("/", 1)[-1] for name in (requested, answered))
    return got == wanted or (got.startswith(wanted) and BUILD.fullmatch(got[len(wanted) :]) is not None)


def _part(provider: str, model: str, served: Optional[str], counts: Counts) -> dict[str, Any]:
    part: dict[str, Any] = {
        "provider": provider,
        "model": model,
        "input_tokens": counts.input_tokens,
        "cached_input_tokens": counts.cached_input_tokens,
        "output_tokens": counts.output_tokens,
    }
    if counts.cache_write_input_tokens:
        part["cache_write_input_tokens"] = counts.cache_write_input_tokens
    if served is not None:
        part["served_model"] = served
    return part


def _is_unbilled(error: BaseException) -> bool:
    """Whether an error says that no model was at work: the answer has a status, or there was no connection."""
    cause: Optional[BaseException] = error
    for _ in range(5):
        if cause is None:
            return False
        if isinstance(cause, (ConnectionRefusedError, socket.gaierror)) or _status_of(cause) is not None:
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _status_of(error: BaseException) -> Optional[int]:
    """The HTTP status of an error of an SDK; botocore has it in `response`."""
    response = getattr(error, "response", None)
    metadata = response.get("ResponseMetadata", {}) if isinstance(response, dict) else {}
    for status in (getattr(error, "status_code", None), getattr(error, "code", None), metadata.get("HTTPStatusCode")):
        if isinstance(status, int) and 400 <= status < 600:
            return status
    return None
