"""Sends run events in the background."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import random
import sys
import threading
import time
import uuid
import weakref
from collections import Counter, deque
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, Callable, Optional, Union

from ._service import Refused, Service, Unavailable

# Statuses that say that the events themselves are at fault.
_AT_FAULT = {400, 413, 422}
# Longest body of one request, far below what the service accepts, and of all that waits.
_MOST_CHARS = 4_000_000
_MOST_WAITING_CHARS = 64_000_000
# Places that one request may say dropped runs of.
_MOST_PLACES = 100
_LONGEST_PAUSE = 30.0

# release_id, environment
_Place = tuple[str, str]
_OnError = Callable[[str, int], None]
_open: weakref.WeakSet[Emitter] = weakref.WeakSet()


class _Event:
    __slots__ = ("json", "place")

    def __init__(self, event: Mapping[str, Any]) -> None:
        self.json = json.dumps(event, allow_nan=False)
        self.place = _place_of(event)


def _place_of(event: Mapping[str, Any]) -> Optional[_Place]:
    place: Any = (event.get("release_id"), event.get("environment"))
    return place if all(_is_name(name) for name in place) else None


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and 0 < len(name) <= 512


class Emitter:
    """Takes run events at once, and sends them in batches from a thread of its own.

    An event is offered until the service has acknowledged it; it stores each run_id once, so none counts twice. One is
    dropped only where more than `most_waiting` wait (the oldest first), where the service refuses it, or where it still
    waits at the end. Each reason goes to `on_error(reason, events)` or, once, to stderr; the next request says how many
    runs were dropped. Nothing raises into the program.

    `defaults` are fields of each event, such as `agent_id` and `environment`.
    """

    def __init__(
        self,
        service: Union[Service, str, None] = None,
        *,
        token: Optional[str] = None,
        defaults: Optional[Mapping[str, Any]] = None,
        batch: int = 500,
        every: float = 1.0,
        most_waiting: int = 10_000,
        close_timeout: float = 5.0,
        on_error: Optional[_OnError] = None,
    ) -> None:
        self._service = Service(service, token) if service is None or isinstance(service, str) else service
        self._defaults = dict(defaults or {})
        self._batch = batch
        self._every = every
        self._most = most_waiting
        self._close_timeout = close_timeout
        self._on_error = on_error
        self._deadline = float("inf")
        self._closed = False
        self._reset()
        _open.add(self)
        # Not the emitter itself, which may go before the program does.
        me = weakref.ref(self)
        self._at_exit = lambda: getattr(me(), "close", lambda: None)()
        atexit.register(self._at_exit)

    def _reset(self) -> None:
        """Also after a fork, whose child has no thread, and in which the parent still sends what waited."""
        self._changed = threading.Condition(threading.RLock())
        self._waiting: deque[_Event] = deque()
        self._chars = 0
        self._due = 0.0
        self._in_flight = 0
        self._flushes = 0
        self._lost: Counter[_Place] = Counter()
        self._said: set[str] = set()
        self._doubts: set[str] = set()
        self._thread: Optional[threading.Thread] = None
        self._finalizers: list[Any] = []
        self.sent = 0
        self.dropped = 0

    @property
    def waiting(self) -> int:
        """How many events wait or are on their way."""
        return len(self._waiting) + self._in_flight

    def emit(self, event: Mapping[str, Any]) -> str:
        """Takes an event and returns its run_id, at once. Without `run_id` and `timestamp` it gets new ones."""
        run_id = ""
        full: dict[str, Any] = {}
        try:
            full = {**self._defaults, **event}
            run_id = full.setdefault("run_id", str(uuid.uuid4()))
            full.setdefault("timestamp", datetime.now(timezone.utc).isoformat(timespec="milliseconds"))
            for name in ("tenant_id", "task_id"):
                full.setdefault(name, "")
            times = {
                name: round(value)
                for name, value in (full.get("metrics") or {}).items()
                if name in ("latency_ms", "ttft_ms") and isinstance(value, float)
            }
            if times:
                full["metrics"] = {**full["metrics"], **times}
            self._keep(_Event(full))
        except Exception as error:  # no JSON, or no mapping
            self._drop(f"an event can't be written as JSON: {error}", 1, [_place_of(full)])
        return run_id

    def count_lost(self, event: Mapping[str, Any]) -> None:
        """Counts a run that had to be left out; the next request says how many there were."""
        try:
            with self._changed:
                self._lose([_place_of({**self._defaults, **event})])
        except Exception:
            pass  # its names are no names

    def flush(self, timeout: Optional[float] = None) -> bool:
        """Sends what waits now, and returns whether nothing is left within so many seconds."""
        end = time.monotonic() + (self._close_timeout if timeout is None else timeout)
        with self._changed:
            self._flushes += 1
            self._changed.notify_all()
            try:
                while self.waiting > 0 and time.monotonic() < end:
                    self._changed.wait(max(0.0, end - time.monotonic()))
            finally:
                self._flushes -= 1
            return self.waiting == 0

    def close(self, timeout: Optional[float] = None) -> bool:
        """Sends what waits, for at most so many seconds, and drops the rest. Returns whether nothing was left."""
        with self._changed:
            if not self._closed:
                self._closed = True
                self._deadline = time.monotonic() + (self._close_timeout if timeout is None else timeout)
            self._changed.notify_all()
            thread = self._thread
            while self.waiting > 0 and thread is not None and thread.is_alive() and time.monotonic() < self._deadline:
                self._changed.wait(max(0.0, self._deadline - time.monotonic()))
            left = self.waiting
            places = [event.place for event in self._waiting]
            self._waiting.clear()
            self._in_flight = 0
            self._changed.notify_all()
        atexit.unregister(self._at_exit)
        for finalizer in self._finalizers:
            finalizer.cancel()
        _open.discard(self)
        if left > 0:
            self._drop("the emitter was closed before they were sent", left, places)
        return left == 0

    async def aclose(self, timeout: Optional[float] = None) -> bool:
        """`close`, without holding up the event loop."""
        return await asyncio.get_running_loop().run_in_executor(None, self.close, timeout)

    def __enter__(self) -> Emitter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Emitter:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _keep(self, event: _Event) -> None:
        overflow: list[Optional[_Place]] = []
        with self._changed:
            if self._closed:
                return self._drop("the emitter is closed", 1, [event.place])
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="release-governance", daemon=True)
                try:
                    thread.start()
                except RuntimeError as error:  # the program is ending
                    return self._drop(str(error), 1, [event.place])
                self._thread = thread
                self._close_with_process()
            if not self._waiting:
                self._due = time.monotonic() + self._every
            self._waiting.append(event)
            self._chars += len(event.json)
            while self._waiting and (self.waiting > self._most or self._chars > _MOST_WAITING_CHARS):
                overflow.append(self._take_one().place)
            if len(self._waiting) == 1 or len(self._waiting) >= self._batch:
                self._changed.notify_all()
        if overflow:
            self._drop(f"more than {self._most} run events wait; the oldest are dropped", len(overflow), overflow)

    def _close_with_process(self) -> None:
        """Closes the emitter at the end of a process of multiprocessing or billiard (Celery) too, which skips atexit."""
        for name in ("multiprocessing.util", "billiard.util"):
            util: Any = sys.modules.get(name)
            if util is not None:
                self._finalizers.append(util.Finalize(None, self._at_exit, exitpriority=-1))

    def _take_one(self) -> _Event:
        event = self._waiting.popleft()
        self._chars -= len(event.json)
        return event

    def _run(self) -> None:
        pause, most = 0.0, self._batch
        while True:
            events = self._next(pause, most)
            if events is None:
                return
            pause, most = self._send(events, pause, most)

    def _next(self, pause: float, most: int) -> Optional[list[_Event]]:
        """The next batch, when one is full or its first event has waited `every` seconds; None at the end."""
        with self._changed:
            began = time.monotonic()
            while True:
                now = time.monotonic()
                if self._closed and (not self._waiting or now >= self._deadline):
                    return None
                is_awaited = self._closed or self._flushes > 0
                due = began + (min(pause, 1.0) if is_awaited else pause)
                if pause == 0 and not is_awaited and len(self._waiting) < self._batch:
                    due = self._due
                if self._waiting and now >= due:
                    break
                until = min(due, self._deadline) if self._waiting else self._deadline
                self._changed.wait(None if until == float("inf") else max(0.0, until - now))
            events: list[_Event] = []
            chars = 0
            while self._waiting and len(events) < most:
                chars += len(self._waiting[0].json)
                if events and chars > _MOST_CHARS:
                    break
                events.append(self._take_one())
            self._due = now + self._every
            self._in_flight = len(events)
            return events

    def _send(self, events: list[_Event], pause: float, most: int) -> tuple[float, int]:
        """Sends a batch. Returns the pause before the next one, seconds, and its size."""
        with self._changed:
            lost, self._lost = self._lost, Counter()
        try:
            answer = self._service.call("POST", "/v1/events", _body(events, lost))
        except Exception as error:
            with self._changed:
                self._lost.update(lost)
            return self._set_aside(events, error, pause, most)
        with self._changed:
            # Where it is 0 the emitter was closed meanwhile, and has counted them as dropped.
            self.sent += self._in_flight and len(events)
            self._in_flight = 0
            self._changed.notify_all()
        for warning in (answer.get("warnings") or []) if isinstance(answer, dict) else []:
            self._say(f"run events were stored, but: {warning}", len(events))
        return 0.0, min(self._batch, most * 2)

    def _set_aside(self, events: list[_Event], error: Exception, pause: float, most: int) -> tuple[float, int]:
        """What becomes of a batch that wasn't taken. One with a bad event is sent in halves, until that one is alone."""
        is_at_fault = isinstance(error, Refused) and error.status in _AT_FAULT
        with self._changed:
            is_ours = self._in_flight > 0
            self._in_flight = 0
            if is_ours and not (is_at_fault and len(events) == 1):
                self._waiting.extendleft(reversed(events))
                self._chars += sum(len(event.json) for event in events)
            self._changed.notify_all()
        if not is_ours:
            return pause, most
        if is_at_fault:
            if len(events) == 1:
                # The service counts what it refuses.
                self._drop(str(error), 1)
            return 0.0, max(1, len(events) // 2)
        is_lost = isinstance(error, Refused) and error.status == 404
        doubt = " Is the address that of the service, without a path?" if is_lost else ""
        self._say(f"run events can't be sent, and wait: {error}{doubt}", len(events))
        after = error.after if isinstance(error, Unavailable) else None
        longer = min(_LONGEST_PAUSE, max(0.1, pause * 2))
        return min(_LONGEST_PAUSE, longer if after is None else max(after, 0.01)) * (0.75 + random.random() / 4), most

    def _lose(self, places: list[Optional[_Place]]) -> None:
        for place in places:
            if place is not None and (place in self._lost or len(self._lost) < _MOST_PLACES):
                self._lost[place] += 1

    def _drop(self, reason: str, events: int, places: Optional[list[Optional[_Place]]] = None) -> None:
        with self._changed:
            self.dropped += events
            self._lose(places or [])
        self._say(f"run events were dropped: {reason}", events)

    def _doubt(self, reason: str) -> None:
        """Says once what is odd about runs that are sent all the same."""
        if reason not in self._doubts and len(self._doubts) < 50:
            self._doubts.add(reason)
            self._say(reason, 0)

    def _say(self, reason: str, events: int) -> None:
        try:
            if self._on_error is not None:
                self._on_error(reason, events)
            elif reason not in self._said and len(self._said) < 50:
                self._said.add(reason)
                print(f"release-governance: {reason}", file=sys.stderr)
        except Exception:
            pass  # what a listener raises must not reach the program


def _body(events: list[_Event], lost: Counter[_Place]) -> bytes:
    """Events, and how many runs were dropped before."""
    places = [
        {"release_id": place[0], "environment": place[1], "runs": runs} for place, runs in sorted(lost.items())
    ]
    dropped = f', "dropped": {json.dumps(places)}' if places else ""
    return f'{{"events": [{", ".join(event.json for event in events)}]{dropped}}}'.encode()


def _after_fork() -> None:
    for emitter in list(_open):
        emitter._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
