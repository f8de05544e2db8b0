"""What the emitter and runs send, by a service that does as it is told."""

import asyncio
import contextlib
import io
import json
import multiprocessing
import os
import threading
import time
import unittest
from types import SimpleNamespace

from release_governance import Emitter, Refused, Unavailable, run

PLACE = {"agent_id": "bot", "release_id": "rel_1", "environment": "prod"}
USAGE = {"prompt_tokens": 10, "completion_tokens": 5}


class Service:
    """Keeps what it took. `answers` are raised, one a request; `bad` is a run_id that it refuses."""

    def __init__(self, *answers, bad=None):
        self.answers = list(answers)
        self.bad = bad
        self.bodies = []
        self.events = []
        self.open = threading.Event()
        self.open.set()

    def call(self, method, path, body):
        self.open.wait(10)
        parsed = json.loads(body)
        self.bodies.append(parsed)
        if self.answers:
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        if any(event["run_id"] == self.bad for event in parsed["events"]):
            raise Refused(422, "input_tokens must be 0 or more")
        self.events += parsed["events"]
        return {"inserted": len(parsed["events"])}


class Emitting(unittest.TestCase):
    def setUp(self):
        self.said = []

    def emitter(self, service, **options):
        options = {"every": 0.01, "on_error": lambda *said: self.said.append(said), "defaults": PLACE, **options}
        emitter = Emitter(service, **options)
        self.addCleanup(emitter.close, 0)
        return emitter

    def test_sends_all_once_though_the_service_is_busy_gone_or_refuses_one(self):
        service = Service(Unavailable("busy", 0.0), Unavailable("gone"), RuntimeError("odd"), Refused(401, "no"), bad="7")
        with self.emitter(service, batch=10) as emitter:
            for number in range(100):
                emitter.emit({"run_id": str(number)})
        self.assertEqual([event["run_id"] for event in service.events], [str(n) for n in range(100) if n != 7])
        self.assertEqual((emitter.sent, emitter.dropped, emitter.waiting), (99, 1, 0))
        self.assertIn(("run events were dropped: 422: input_tokens must be 0 or more", 1), self.said)
        # The service counts what it refused itself.
        self.assertEqual([body["dropped"] for body in service.bodies if "dropped" in body], [])

    def test_an_event_is_read_at_once_and_completed(self):
        service = Service()
        with self.emitter(service) as emitter:
            event = {"metrics": {"latency_ms": 10.6, "ttft_ms": 3.2}}
            run_id = emitter.emit(event)
            event["metrics"]["latency_ms"] = 7
            self.assertEqual(emitter.emit({"run_id": "mine", "timestamp": "2026-01-31T00:00:00Z"}), "mine")
        self.assertEqual(service.events[0]["run_id"], run_id)
        self.assertEqual(service.events[0]["metrics"], {"latency_ms": 11, "ttft_ms": 3})
        self.assertEqual(service.events[0]["tenant_id"], "")
        self.assertRegex(service.events[0]["timestamp"], r"^\d{4}-.*\+00:00$")
        self.assertEqual(service.events[1]["timestamp"], "2026-01-31T00:00:00Z")

    def test_what_is_no_event_is_dropped_and_said(self):
        service = Service()
        with self.emitter(service) as emitter:
            emitter.emit({"scores": {"f": float("nan")}})
            emitter.emit(7)
            emitter.emit({"labels": object()})
        self.assertEqual((emitter.dropped, service.events), (3, []))
        self.assertEqual(len(self.said), 3)

    def test_never_waits_and_says_with_the_next_events_how_many_it_dropped(self):
        service = Service(Unavailable("busy", 0.01))
        service.open.clear()
        emitter = self.emitter(service, batch=2, most_waiting=4)
        began = time.monotonic()
        for number in range(20):
            emitter.emit({"run_id": str(number), "release_id": 7 if number == 2 else "rel_1"})
        self.assertLess(time.monotonic() - began, 1)
        service.open.set()
        self.assertTrue(emitter.close())
        self.assertEqual(emitter.sent + emitter.dropped, 20)
        said = [body.get("dropped") for body in service.bodies]
        # The first request is refused, so the second says all; one of them has no name of a release.
        self.assertIn(sum(place["runs"] for place in said[1]), (15, 16))
        self.assertEqual([place["release_id"] for place in said[1]], ["rel_1"])
        self.assertEqual(sum(1 for places in said[1:] if places), 1)
        self.assertEqual(service.events[-1]["run_id"], "19")

    def test_gives_up_at_its_end_and_says_what_is_lost(self):
        emitter = self.emitter(Service(*[Unavailable("gone")] * 99))
        emitter.emit({})
        began = time.monotonic()
        self.assertFalse(emitter.close(0.3))
        self.assertLess(time.monotonic() - began, 2)
        emitter.emit({})
        self.assertEqual(emitter.dropped, 2)
        self.assertIn(("run events were dropped: the emitter is closed", 1), self.said)

    def test_a_request_that_hangs_does_not_hold_up_the_end(self):
        service = Service()
        service.open.clear()
        emitter = self.emitter(service)
        emitter.emit({})
        began = time.monotonic()
        self.assertFalse(emitter.close(0.2))
        self.assertLess(time.monotonic() - began, 2)
        self.assertEqual((emitter.sent, emitter.dropped), (0, 1))
        service.open.set()

    def test_flush_waits_for_what_was_emitted(self):
        service = Service()
        emitter = self.emitter(service, every=60)
        emitter.emit({"run_id": "a"})
        self.assertTrue(emitter.flush(5))
        self.assertEqual(len(service.events), 1)

    def test_without_a_listener_each_reason_is_said_once_on_stderr(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            with self.emitter(Service({"warnings": ["no price"]}, {"warnings": ["no price"]}), on_error=None, batch=1) as emitter:
                emitter.emit({})
                emitter.flush()
                emitter.emit({})
        self.assertEqual(said.getvalue(), "release-governance: run events were stored, but: no price\n")

    def test_a_listener_that_raises_reaches_nobody(self):
        with self.emitter(Service(bad="a"), on_error=lambda *_: 1 / 0) as emitter:
            emitter.emit({"run_id": "a"})
        self.assertEqual(emitter.dropped, 1)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_forked_child_sends_its_own_and_not_those_of_its_parent(self):
        service = Service()
        emitter = self.emitter(service, every=0.2)
        emitter.emit({"run_id": "parent"})
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                emitter.emit({"run_id": "child"})
                emitter.flush(5)
                os.write(writing, json.dumps([event["run_id"] for event in service.events]).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        self.assertEqual(json.loads(os.read(reading, 1000)), ["child"])
        os.close(reading)
        os.close(writing)
        emitter.close()
        self.assertEqual([event["run_id"] for event in service.events], ["parent"])

    @unittest.skipUnless("fork" in multiprocessing.get_all_start_methods(), "there is no fork")
    def test_a_child_of_multiprocessing_sends_what_waits_at_its_end(self):
        processes = multiprocessing.get_context("fork")
        service = Service()
        pipe, theirs = processes.Pipe()
        emitter = self.emitter(service, every=60)
        service.call = lambda method, path, body: theirs.send(json.loads(body)["events"])
        child = processes.Process(target=lambda: emitter.emit({"run_id": "child"}))
        child.start()
        child.join(10)
        self.assertTrue(pipe.poll(1))
        self.assertEqual([event["run_id"] for event in pipe.recv()], ["child"])

    def test_counts_an_event_that_is_no_json_as_a_run_that_was_dropped(self):
        service = Service()
        with self.emitter(service) as emitter:
            emitter.emit({"run_id": "1", "metrics": {"latency_ms": float("nan")}})
            emitter.emit({"run_id": "2", "labels": {"of": object()}})
            emitter.emit({"run_id": "3"})
        self.assertEqual([event["run_id"] for event in service.events], ["3"])
        dropped = {**PLACE, "runs": 2}
        del dropped["agent_id"]
        self.assertEqual(service.bodies[-1]["dropped"], [dropped])


class Running(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        self.said = []
        self.emitter = Emitter(self.service, defaults=PLACE, every=60, on_error=lambda *said: self.said.append(said))
        self.addCleanup(self.emitter.close, 0)

    def only(self):
        self.emitter.flush()
        [event] = self.service.events
        return event

    def test_a_run_is_timed_and_counted_by_model(self):
        with run(self.emitter, model="gpt-4.1", tenant_id="acme") as this:
            for model in ("gpt-4.1-2026-01-31", "gpt-4.1-mini", "gpt-4.1"):
                response = {"model": model, "usage": USAGE}
                self.assertIs(this.count(response), response)
            this.tool("search")
            this.tool("search")
            this.score(faithfulness=0.9)
            this.first_token()
            this.first_token()
        event = self.only()
        self.assertLessEqual(0, event["metrics"].pop("ttft_ms"))
        self.assertEqual(event["metrics"].pop("latency_ms") >= 0, True)
        self.assertEqual(event["metrics"], {"success": True, "error_type": None})
        self.assertEqual(event["tenant_id"], "acme")
        self.assertEqual(event["scores"], {"faithfulness": 0.9})
        one = {"provider": "openai", "cached_input_tokens": 0}
        self.assertEqual(event["usage"], {
            "model": {**one, "model": "gpt-4.1", "input_tokens": 20, "output_tokens": 10},
            "models": [{**one, "model": "gpt-4.1-mini", "input_tokens": 10, "output_tokens": 5}],
            "tools": [{"tool_name": "search", "invocations": 2}],
        })

    def test_another_model_than_was_requested_is_named(self):
        with run(self.emitter) as this:
            this.count({"model": "gpt-4.1-mini", "usage": USAGE}, model="gpt-4.1")
        model = self.only()["usage"]["model"]
        self.assertEqual((model["model"], model["served_model"]), ("gpt-4.1", "gpt-4.1-mini"))

    def test_bedrock_names_no_model_and_gemini_is_google(self):
        with run(self.emitter) as this:
            this.count({"usage": {"inputTokens": 3, "outputTokens": 4}}, model="nova")
            this.count({"modelVersion": "gemini-3-flash", "usageMetadata": {"promptTokenCount": 1}})
        models = [self.only()["usage"]["model"], *self.only()["usage"]["models"]]
        self.assertEqual([model["provider"] for model in models], ["bedrock", "google"])

    def fails_with(self, error, **names):
        names = {"provider": "openai", "model": "gpt-4.1", **names}
        with self.assertRaises(type(error)):
            with run(self.emitter, **names):
                raise error

    def test_a_run_that_fails_is_sent_and_raises_what_it_raised(self):
        self.fails_with(ValueError("broke off"))
        event = self.only()
        self.assertEqual((event["metrics"]["success"], event["metrics"]["error_type"]), (False, "ValueError"))
        self.assertEqual(event["usage"]["model"]["input_tokens"], 0)
        self.assertIs(event["usage"]["incomplete"], True)

    def test_a_run_whose_error_says_that_nothing_is_billed_is_complete(self):
        refused = RuntimeError("unreachable")
        refused.__cause__ = ConnectionRefusedError()
        status, google, aws = RuntimeError("429"), RuntimeError("400"), RuntimeError("aws")
        status.status_code = 429
        google.code = 400
        aws.response = {"ResponseMetadata": {"HTTPStatusCode": 503}}
        for error in (refused, status, google, aws):
            with self.subTest(str(error)):
                self.service.events.clear()
                self.fails_with(error)
                self.assertNotIn("incomplete", self.only()["usage"])

    def test_a_cancelled_run_has_failed(self):
        async def cancelled():
            async with run(self.emitter, provider="openai", model="gpt-4.1") as this:
                this.count({"model": "gpt-4.1", "usage": USAGE})
                await asyncio.sleep(60)

        async def program():
            task = asyncio.ensure_future(cancelled())
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(program())
        event = self.only()
        self.assertEqual(event["metrics"]["error_type"], "CancelledError")
        self.assertEqual((event["usage"]["model"]["input_tokens"], event["usage"]["incomplete"]), (10, True))

    def test_a_run_that_says_that_it_failed_is_complete(self):
        with run(self.emitter) as this:
            this.count({"model": "m", "usage": USAGE})
            this.fail("no_answer")
        event = self.only()
        self.assertEqual((event["metrics"]["error_type"], "incomplete" in event["usage"]), ("no_answer", False))

    def test_a_successful_run_with_tokens_unknown_is_left_out_and_counted(self):
        with run(self.emitter) as this:
            this.count({"model": "m", "usage": USAGE})
            this.count({"model": "m", "usage": None})
        with run(self.emitter):
            pass
        with run(self.emitter) as this:
            this.count({"model": "m", "usage": USAGE})
        self.only()
        self.assertEqual(self.service.bodies[0]["dropped"], [{"release_id": "rel_1", "environment": "prod", "runs": 2}])
        self.assertEqual(len(self.said), 2)

    def test_a_number_that_is_not_counted_is_said_once(self):
        usage = {**USAGE, "prompt_tokens_details": {"audio_tokens": 3, "text_tokens": 7}}
        for _ in range(2):
            with run(self.emitter) as this:
                this.count({"model": "m", "usage": usage})
        self.emitter.close()
        self.assertEqual(len(self.service.events), 2)
        text = "prompt_tokens_details.audio_tokens of sdk:openai is not read, and has no price"
        self.assertEqual(self.said, [(text, 0)])

    def test_async_closing_leaves_the_loop_free(self):
        async def program():
            async with Emitter(self.service, defaults=PLACE) as emitter:
                emitter.emit({})

        asyncio.run(program())
        self.assertEqual(len(self.service.events), 1)

    def test_a_thing_that_is_no_response_breaks_nothing(self):
        for thing in (None, 7, "text", SimpleNamespace(usage=7), SimpleNamespace(model=3, usage=object())):
            with run(self.emitter) as this:
                self.assertIs(this.count(thing), thing)
        self.assertEqual(len(self.said), 5)


if __name__ == "__main__":
    unittest.main()
