"""Verifies deliveries of webhooks: WEBHOOK_SECRET=whsec_... PORT=9000 python3 webhook.py"""

import base64
import binascii
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Deliveries are far smaller.
MOST_BYTES = 1_000_000


class NotBelieved(Exception):
    """The delivery is not signed with the secret, or not lately."""


def verify(headers, body, secret, *, tolerance_s=300, now=None):
    """The delivery as a dict: `event`, `delivery_id`, `created_at`, `data`. Raises NotBelieved. `headers` has `get`."""
    delivery_id, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp")
    if delivery_id is None or timestamp is None:
        raise NotBelieved("webhook-id or webhook-timestamp is missing")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 15):
        raise NotBelieved("webhook-timestamp is not a number")
    try:
        key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret, validate=True)
    except (binascii.Error, ValueError):
        raise NotBelieved("the secret is not whsec_ and base64") from None
    if not key:
        raise NotBelieved("the secret is empty")
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # Several are given while a secret is being replaced. All are compared, in constant time.
    given = (headers.get("webhook-signature") or "").encode().split(b" ")
    if True not in [hmac.compare_digest(expected, signature) for signature in given]:
        raise NotBelieved("webhook-signature does not match the body and the secret")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_s:
        raise NotBelieved(f"webhook-timestamp is more than {tolerance_s} s from now")
    return json.loads(body)


class Receiver(BaseHTTPRequestHandler):
    """Answers quickly: the service waits five seconds, and then tries again."""

    seen = set()  # A delivery may come more than once; a real receiver keeps these in its database.

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return self._answer(413)
        try:
            delivery = verify(self.headers, self.rfile.read(int(length)), os.environ["WEBHOOK_SECRET"])
        except (NotBelieved, ValueError) as error:
            print(f"refused: {error}", file=sys.stderr, flush=True)
            return self._answer(401)
        if delivery["delivery_id"] not in self.seen:
            self.seen.add(delivery["delivery_id"])
            print(json.dumps([delivery["event"], delivery["data"].get("release_id")]), flush=True)
        self._answer(204)

    def _answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if not os.environ.get("WEBHOOK_SECRET"):
        sys.exit("usage: WEBHOOK_SECRET=whsec_... [PORT=9000] python3 webhook.py")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
