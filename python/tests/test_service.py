"""What a service that can't be asked is said to be."""

import os
import unittest
from unittest import mock

from release_governance import Service, Unavailable

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
