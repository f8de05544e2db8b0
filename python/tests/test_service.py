"""What a service that can't be asked is said to be."""

import io
import json
import os
import unittest
import urllib.error
from email.message import Message
from unittest import mock

from release_governance import Refused, Service, Unavailable

NOWHERE = "http://127.0.0.1:9"


def reason_of(environment):
    with mock.patch.dict(os.environ, environment, clear=True):
        try:
            Service(NOWHERE).call("GET", "/v1/releases")
        except Unavailable as error:
            return str(error)
    raise AssertionError("there was an answer")


class Asking(unittest.TestCase):
    def test_names_the_address_and_the_proxy_that_it_goes_by(self):
        self.assertRegex(reason_of({}), r"refused \(http://127\.0\.0\.1:9\)$")
        proxied = {"http_proxy": "http://ann:secret@127.0.0.1:7"}
        self.assertRegex(
            reason_of(proxied),
            r"\(http://127\.0\.0\.1:9 by the proxy 127\.0\.0\.1; set no_proxy=127\.0\.0\.1 to go without it\)$",
        )
        self.assertNotIn("proxy", reason_of({**proxied, "no_proxy": "127.0.0.1"}))

    def test_takes_a_token_as_a_file_ends_it_and_never_shows_one(self):
        Service(NOWHERE, token="rgs_1\n")
        for token in ("rgs 1", "r\ngs", "r\u00e9gs"):
            with self.assertRaises(ValueError) as refused:
                Service(NOWHERE, token=token)
            self.assertNotIn(token, str(refused.exception))

    def test_says_why_a_request_was_refused(self):
        def said(status, detail):
            body = io.BytesIO(json.dumps({"detail": detail}).encode())
            error = urllib.error.HTTPError(NOWHERE, status, "Conflict", Message(), body)
            service = Service(NOWHERE)
            with mock.patch.object(service._opener, "open", side_effect=error), self.assertRaises(Refused) as refused:
                service.call("GET", "/v1/releases")
            return refused.exception.detail

        policy = {"passed": False, "reasons": ["too dear", "too slow"]}
        blocked = "Promotion blocked by policy."
        self.assertEqual(said(409, {"message": blocked, "outcome": {"policy": policy}}), f"{blocked} too dear; too slow")
        self.assertEqual(said(409, {"message": blocked, "policy": policy}), f"{blocked} too dear; too slow")
        wrong = [{"loc": ["body", n], "msg": "Field required", "type": "missing"} for n in ("window", "reason")]
        self.assertEqual(said(422, wrong), "body.window: Field required; body.reason: Field required")
        self.assertEqual(said(400, "Unknown release: rel_1"), "Unknown release: rel_1")
        self.assertEqual(said(409, None), "Conflict")
