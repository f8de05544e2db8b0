"""Talks to a release governance service with nothing but the standard library of Python 3.9 or later.

    from service import Emitter, Service, run_event

    service = Service("http://127.0.0.1:8765", token="...")
    with Emitter(service) as emitter:
        emitter.emit(run_event(agent_id="support-bot", release_id="rel_0123456789ab", ...))

Copy this file beside your program. It sends run events in batches from a thread of its own, and sends again what was
not taken; it never throws into the program that it is in.
"""

import atexit
import http.client
import json
import queue
import random
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections import Counter
from datetime import datetime, timezone

# What a busy service answers; the same request may be sent again, for a run_id is stored once.
RETRIED = {429, 502, 503, 504}


class Refused(Exception):
    """The service said no: sending the same again would change nothing."""

    def __init__(self, status, detail):
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail


class Unavailable(Exception):
    """There was no answer, or none but that the service is busy. `after` are the seconds that it asks to wait."""

    def __init__(self, reason, after=None):
        super().__init__(reason)
        self.after = after


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the token to another host."""

    def redirect_request(self, *args):
        return None


class Service:
    """One service. `timeout` are the seconds that a request may take."""

    def __init__(self, url, token=None, timeout=10.0):
        self._url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects)

    def call(self, method, path, body=None, query=None):
        """The JSON answer. Raises Refused, or Unavailable where it may be tried again."""
        address = self._url + path + ("" if query is None else "?" + urllib.parse.urlencode(query))
        headers = {"content-type": "application/json"}
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        request = urllib.request.Request(address, data=data, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                detail = _detail_of(error)
            if error.code in RETRIED:
                raise Unavailable(f"{error.code}: {detail}", _seconds(error.headers.get("retry-after"))) from error
            raise Refused(error.code, detail) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Unavailable(str(error) or type(error).__name__) from error


def _detail_of(error):
    try:
        return json.loads(error.read())["detail"]
    except (OSError, ValueError, KeyError, TypeError):
        return error.reason


def _seconds(text):
    return float(text) if text is not None and text.isdigit() else None


def run_event(*, agent_id, release_id, provider, model, input_tokens, output_tokens, **more):
    """A run that ends now. `cached_input_tokens` are not among the `input_tokens`; `scores` is a dict of numbers."""
    usage = {"provider": provider, "model": model, "input_tokens": input_tokens, "output_tokens": output_tokens}
    for name in ("cached_input_tokens", "cache_write_input_tokens"):
        if name in more:
            usage[name] = more.pop(name)
    metrics = {name: more.pop(name) for name in ("success", "latency_ms", "error_type") if name in more}
    if isinstance(metrics.get("latency_ms"), float):
        metrics["latency_ms"] = round(metrics["latency_ms"])
    return {
        "timestamp": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
        "run_id": str(uuid.uuid4()),
        "agent_id": agent_id,
        "release_id": release_id,
        "tenant_id": "",
        "task_id": "",
        "environment": "prod",
        "metrics": metrics,
        "usage": {"model": usage},
        **more,
    }


class Emitter:
    """Sends events in batches. What it can't keep or the service refuses is told to
    `on_error(reason, events)`, or else on stderr, each reason once."""

    def __init__(self, service, *, batch=500, every=1.0, most_waiting=10_000, tries=6, on_error=None):
        self._service = service
        self._batch = batch
        self._every = every
        self._tries = tries
        self._on_error = on_error
        self._waiting = queue.Queue(most_waiting)
        self._told = set()
        self._lost = Counter()
        self._lost_lock = threading.Lock()
        self._closing = threading.Event()
        self._deadline = float("inf")
        self.sent = 0
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="run-events", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def emit(self, event):
        """Takes an event and returns at once."""
        try:
            if self._closing.is_set():
                raise queue.Full
            self._waiting.put_nowait(event)
        except queue.Full:
            self._drop("closed" if self._closing.is_set() else "too many events wait", [event])

    def close(self, timeout=10.0):
        """Sends what waits, for at most so many seconds. Returns whether nothing is left."""
        if not self._closing.is_set():
            self._deadline = time.monotonic() + timeout
            self._closing.set()
        self._thread.join(timeout + 1)
        atexit.unregister(self.close)
        return not self._thread.is_alive()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _run(self):
        while True:
            events = self._next()
            if events:
                self._send(events)
            elif self._closing.is_set():
                return

    def _next(self):
        events = []
        end = time.monotonic() + self._every
        while len(events) < self._batch:
            left = 0 if self._closing.is_set() else min(end - time.monotonic(), 0.05)
            try:
                events.append(self._waiting.get(timeout=left) if left > 0 else self._waiting.get_nowait())
            except queue.Empty:
                if left <= 0 or time.monotonic() >= end:
                    break
        return events

    def _send(self, events):
        reason = "closed"
        for attempt in range(self._tries):
            if time.monotonic() >= self._deadline:
                break
            try:
                self._post(events)
                self.sent += len(events)
                return
            except Unavailable as error:
                reason = str(error)
                self._pause(error.after or min(30.0, 0.2 * 2**attempt) * (0.5 + random.random() / 2))
            except Refused as error:
                return self._refused(events, error)
            except Exception as error:  # an event that is no JSON
                return self._refused(events, error)
        self._drop(reason, events)

    def _post(self, events):
        """Sends events, and how many runs were dropped before."""
        body = {"events": events}
        with self._lost_lock:
            lost, self._lost = self._lost, Counter()
        if lost:
            names = ("release_id", "environment", "runs")
            body["dropped"] = [dict(zip(names, (*place, runs))) for place, runs in lost.most_common(100)]
        try:
            self._service.call("POST", "/v1/events", body)
        except Exception:
            with self._lost_lock:
                self._lost += lost
            raise

    def _refused(self, events, error):
        """One bad event has the whole batch refused: the halves are sent alone."""
        if len(events) == 1 or getattr(error, "status", 400) not in (400, 413, 422):
            return self._drop(str(error), events, is_counted=True)
        half = len(events) // 2
        self._send(events[:half])
        self._send(events[half:])

    def _pause(self, seconds):
        end = min(time.monotonic() + seconds, self._deadline)
        while time.monotonic() < end:
            left = end - time.monotonic()
            if not self._closing.wait(min(left, 0.2)):
                continue
            end = min(end, self._deadline)
            time.sleep(max(0.0, min(left, end - time.monotonic(), 0.2)))

    def _drop(self, reason, events, is_counted=False):
        """`is_counted`: the service knows of them, for it refused them."""
        self.dropped += len(events)
        try:
            places = [] if is_counted else [(event["release_id"], event["environment"]) for event in events]
            with self._lost_lock:
                self._lost.update(place for place in places if all(isinstance(name, str) for name in place))
        except Exception:
            pass  # an event that is none
        try:
            if self._on_error is not None:
                self._on_error(reason, events)
            elif reason not in self._told:
                self._told.add(reason)
                print(f"run events were dropped: {reason}", file=sys.stderr)
        except Exception:
            pass
