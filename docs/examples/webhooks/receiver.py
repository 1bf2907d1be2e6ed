"""Receives webhooks of the Storage Routing Service (docs/guides/webhooks.md). Python 3.9 or newer, no dependency.

    WEBHOOK_SECRET=whsec_… PORT=3000 python3 receiver.py
"""
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

TOLERANCE_SECONDS = 5 * 60
LARGEST_BODY_BYTES = 64 * 1024

prefix, _, encoded = os.environ.get("WEBHOOK_SECRET", "").partition("_")
if prefix != "whsec":
    raise SystemExit("WEBHOOK_SECRET must be whsec_…")
key = base64.b64decode(encoded)

# Yours: a table with a unique key, kept for four days. Repeats of an event have its id.
seen = set()
lock = Lock()


def store(event):
    """Yours: store it, and work on it later. An answer that takes over 15 s counts as a failure."""
    print(event["type"], json.dumps(event["data"]), flush=True)


def is_genuine(headers, body):
    """Whether the signature fits the bytes as they arrived, and is of the last five minutes."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not event_id or not timestamp.isdecimal():
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # Several, separated by spaces, while the secret is being rotated.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected) for one in given)


class Receiver(BaseHTTPRequestHandler):
    timeout = 15

    def do_POST(self):
        self.send_response(self.receive())
        self.end_headers()

    def receive(self):
        length = self.headers.get("content-length", "")
        bound = LARGEST_BODY_BYTES + 1
        body = self.rfile.read(min(int(length), bound)) if length.isdecimal() else b""
        if len(body) == bound or not is_genuine(self.headers, body):
            return 400
        with lock:
            if self.headers["webhook-id"] not in seen:
                store(json.loads(body))
                seen.add(self.headers["webhook-id"])
        return 204


# Only from this machine: a proxy in front, or a tunnel, has the certificate.
ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
