"""The live channel of docs/devices.md: RFC 6455 over a plain socket, with the standard library alone."""
import base64
import json
import os
import socket
import ssl
import struct
import threading
from urllib.parse import urlsplit


class Channel(threading.Thread):
    """One connection. `closed` holds the message that announced its end."""

    def __init__(self, live, session, token, received):
        super().__init__(daemon=True)
        self.received, self.closed = received, None
        url = urlsplit(live["url"])
        port = url.port or (443 if url.scheme == "wss" else 80)
        self.socket = socket.create_connection((url.hostname, port))
        if url.scheme == "wss":
            self.socket = ssl.create_default_context().wrap_socket(self.socket, server_hostname=url.hostname)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            (
                f"GET {url.path}?session_id={session} HTTP/1.1\r\nHost: {url.netloc}\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                f"Authorization: Bearer {token}\r\n\r\n"
            ).encode()
        )
        self.reader = self.socket.makefile("rb")
        self.status = int(self.reader.readline().split()[1])
        while self.reader.readline().strip():
            pass
        self.start()

    def send(self, text, opcode=1):
        mask, data = os.urandom(4), text.encode()
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.socket.sendall(bytes([0x80 | opcode, 0x80 | len(data)]) + mask + masked)

    def run(self):
        try:
            while True:
                first, length = self.reader.read(2)
                if length == 126:
                    (length,) = struct.unpack("!H", self.reader.read(2))
                payload = self.reader.read(length)
                if first & 0x0F == 8:
                    return
                if first & 0x0F != 1:
                    continue
                message = json.loads(payload)
                if message["type"] == "closing":
                    self.closed = message
                self.received(message)
        except (OSError, ValueError):
            pass

    def close(self):
        self.send("", 8)
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
