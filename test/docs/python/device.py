"""A client and a gateway written from docs/devices.md and docs/sign-in.md alone, with the standard library of Python 3.9 or newer.

It reports to standard output, one JSON object a line, and reads passcodes from standard input: `test/docs/devices.long.test.ts` plays
the person in the browser and the administrator.
"""
import base64
import hashlib
import json
import os
import random
import secrets
import sys
import threading
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from live_channel import Channel

SERVICE, ACCOUNT, RESOURCE, GATEWAY_TOKEN, API_TOKEN = sys.argv[1:]


def say(event, **fields):
    print(json.dumps(dict(event=event, **fields)), flush=True)


class Problem(Exception):
    """An answer that a repeated request would not change."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body}")
        self.status = status
        self.code = body.get("code")


def call(method, path, token=None, body=None):
    """The parsed body of a success. 429, 5xx and no answer are retried after a random pause that doubles."""
    for attempt in range(6):
        headers = {"content-type": "application/json", "user-agent": "python-device/1.0"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(SERVICE + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 429 and error.code < 500:
                raise Problem(error.code, json.load(error)) from None
            pause = float(error.headers.get("retry-after", 0))
        except OSError:
            pause = 0
        time.sleep(pause + random.random() * 0.25 * 2**attempt)
    raise Problem(503, {"code": "unreachable"})


def status_of(work):
    try:
        work()
        return 200
    except Problem as problem:
        return problem.status


def returned_to(server, state):
    """The parameters that the browser brings back, ignoring those of any other sign-in."""
    found = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            if query.get("state") == state:
                found.append(query)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"You can close this window.")

        def log_message(self, *_):
            pass

    server.RequestHandlerClass = Handler
    while not found:
        server.handle_request()
    return found[0]


class Refused(Exception):
    """A sign-in that came back with an error instead of a code."""


def redeem(**fields):
    return call("POST", "/sign_in/token", None, {"sign_in": fields})["data"]


def sign_in(error=None):
    """The answer of the token step, and the statuses of attempts that had to fail before and after it.

    `error` is that of the sign-in before, for another try.
    """
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    page = {
        "context": "client",
        "redirect_uri": f"http://127.0.0.1:{server.server_port}/callback",
        "state": state,
        "code_challenge": challenge,
    }
    if error:
        page["error"] = error
    say("page", url=f"{SERVICE}/sign_in/{ACCOUNT}?{urlencode(page)}")
    back = returned_to(server, state)
    server.server_close()
    if "error" in back:
        raise Refused(back["error"])
    proof = dict(code=back["code"], code_verifier=verifier)
    failed = []
    if back.get("proof_required") == "true":
        failed.append(status_of(lambda: redeem(**proof)))
        say("passcode")
        passcode = sys.stdin.readline().strip()
        wrong = "222222" if passcode != "222222" else "333333"
        failed.append(status_of(lambda: redeem(**proof, passcode=wrong)))
        proof["passcode"] = passcode.lower()
    signed_in = redeem(**proof)
    failed.append(status_of(lambda: redeem(**proof)))
    return signed_in, failed


class Gateway(threading.Thread):
    """Holds what may pass. It sends heartbeats with `since`, at once when the channel has news."""

    def __init__(self, token):
        super().__init__(daemon=True)
        self.token, self.held, self.since = token, {}, None
        self.news, self.changed, self.stopped = threading.Event(), threading.Condition(), False
        session = {"public_key": base64.b64encode(os.urandom(32)).decode(), "version": "1.4.0"}
        started = call("POST", "/gateway/sessions", token, {"session": session})["data"]
        self.session, self.seconds = started["id"], started["heartbeat_secs"]
        self.channel = Channel(started["live"], self.session, token, self.hear)
        self.start()

    def hear(self, message):
        if message["type"] == "authorizations":
            self.news.set()

    def run(self):
        while not self.stopped:
            self.news.clear()
            more = self.heartbeat()
            if not more:
                self.news.wait(self.seconds * (0.7 + 0.2 * random.random()))

    def heartbeat(self):
        body = {"session": {"since": self.since} if self.since else {}}
        answer = call("PUT", f"/gateway/sessions/{self.session}", self.token, body)["data"]
        with self.changed:
            if answer["complete"]:
                self.held = {}
            for authorization in answer["authorizations"] if answer["complete"] else answer["added"]:
                self.held[authorization["id"]] = authorization
            for gone in [] if answer["complete"] else answer["removed"]:
                self.held.pop(gone, None)
            self.changed.notify_all()
        self.since = answer["since"]
        return answer["more"]

    def until(self, holds):
        with self.changed:
            if not self.changed.wait_for(lambda: holds(self.held), 20):
                raise TimeoutError("The gateway was not notified.")

    def stop(self):
        self.stopped = True
        self.news.set()
        self.join()
        call("DELETE", f"/gateway/sessions/{self.session}", self.token)
        self.channel.close()


def now():
    return datetime.now(timezone.utc).isoformat()


def report(authorization, source, destination, start):
    """A flow that opens and closes, and a report that is not valid, with the token of one side."""
    opened = {
        "protocol": "tcp",
        "inner_src_ip": source,
        "inner_src_port": 50000,
        "inner_dst_ip": destination,
        "inner_dst_port": 443,
        "flow_start": start,
        "domain": "wiki.example.com",
    }
    path = {"dst_ip": "198.51.100.7", "dst_port": 51820, "path_activated_at": start}
    counts = {"rx_packets": 8, "tx_packets": 9, "rx_bytes": 8000, "tx_bytes": 900}
    closed = {**opened, **counts, "flow_end": now(), "last_packet": now(), "outers": [path]}
    token = authorization["ingest_token"]
    accepted = [
        call("POST", "/ingestion/flow_logs", token, {"flow_logs": [flow]})["data"]["accepted"]
        for flow in (opened, closed)
    ]
    invalid = status_of(lambda: call("POST", "/ingestion/flow_logs", token, {"flow_logs": [{"protocol": "tcp"}]}))
    return accepted, invalid


def flows_of(authorization_id, seconds=20):
    """The closed flows of an authorization in the flow log, which is complete some seconds after the reports."""
    end = time.monotonic() + seconds
    while True:
        entries = call("GET", "/logs?type=flow", API_TOKEN)["data"]
        found = [entry for entry in entries if entry["policy_authorization_id"] == authorization_id]
        if len([entry for entry in found if entry["flow_end"]]) == 2 or time.monotonic() > end:
            return found
        time.sleep(0.2)


def main():
    gateway = Gateway(GATEWAY_TOKEN)
    signed_in, failed = sign_in()
    token = signed_in["token"]
    say("signed in", prefix=token[:4], email=signed_in["actor"]["email"], failed=failed)

    nudges = []
    session = {"svc_id": "python", "public_key": base64.b64encode(os.urandom(32)).decode(), "version": "1.4.2"}
    started = call("POST", "/client/sessions", token, {"session": session})["data"]
    channel = Channel(started["live"], started["id"], token, nudges.append)
    channel.send('{"type":"keepalive"}')
    beat = call("PUT", f"/client/sessions/{started['id']}", token)["data"]
    say("session", resources=[resource["id"] for resource in beat["resources"]], channel=channel.status)

    wanted = {"authorization": {"resource_id": RESOURCE, "session_id": started["id"]}}
    authorization = call("POST", "/client/authorizations", token, wanted)["data"]
    again = call("POST", "/client/authorizations", token, wanted)["data"]
    gateway.until(lambda held: authorization["id"] in held)
    other = gateway.held[authorization["id"]]
    say("authorized", same=again["id"] == authorization["id"], actor_id=other["client"]["actor_id"])

    start = now()
    source, destination = started["client"]["ipv4"], authorization["gateway"]["ipv4"]
    reports = [report(side, source, destination, start) for side in (authorization, other)]
    say("flows", reports=reports, entries=flows_of(authorization["id"]))

    call("DELETE", f"/client/sessions/{started['id']}", token)
    channel.close()
    gateway.until(lambda held: authorization["id"] not in held)
    ended = status_of(lambda: call("PUT", f"/client/sessions/{started['id']}", token))
    refused = status_of(lambda: call("POST", "/client/sessions", "nac_unknown", {"session": session}))
    say("left", ended=ended, refused=refused, held=len(gateway.held))
    gateway.stop()

    # The identity is known from the first sign-in on, so no passcode is asked for.
    say("second", failed=sign_in()[1])
    error = None
    for _ in range(2):
        try:
            sign_in(error)
        except Refused as refused:
            error = str(refused)
            say("refused", error=error)


main()
