"""A WebSocket as a client has it: RFC 6455 over a blocking socket, with nothing but the standard
library. It checks what a server may not do: mask, leave lengths longer than they need be."""

import base64
import hashlib
import os
import socket
import struct
import zlib

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class WebSocket:
    """Opens at once; a context manager. `fields`: those of the answer, in lower case."""

    def __init__(self, port, target, fields=(), seconds=20):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self._bytes = b""
        self.received_bytes = 0
        key = base64.b64encode(os.urandom(16))
        lines = {"Host": f"127.0.0.1:{port}", "Connection": "Upgrade", "Upgrade": "websocket",
                 "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key.decode(), **dict(fields)}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._socket.sendall(f"GET {target} HTTP/1.1\r\n{head}\r\n".encode())
        while b"\r\n\r\n" not in self._bytes:
            self._read()
        head, self._bytes = self._bytes.split(b"\r\n\r\n", 1)
        first, *rest = head.decode().split("\r\n")
        pairs = (line.split(": ", 1) for line in rest)
        self.fields = {name.lower(): value for name, value in pairs}
        accept = base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode()
        if not first.startswith("HTTP/1.1 101 ") or self.fields["sec-websocket-accept"] != accept:
            self._socket.close()
            raise ConnectionError(f"no WebSocket: {first}")
        self.is_compressed = "permessage-deflate" in self.fields.get("sec-websocket-extensions", "")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def send(self, opcode, payload, fin=True):
        length = len(payload)
        size = bytes([0x80 | length]) if length < 126 else (
            b"\xfe" + struct.pack("!H", length) if length < 65536 else
            b"\xff" + struct.pack("!Q", length))
        # A key of zeros is a key as others are, and makes masking free.
        self._socket.sendall(bytes([(0x80 if fin else 0) | opcode]) + size + bytes(4) + payload)

    def receive(self):
        """(fin, opcode, payload) of the next frame; a compressed one must be a whole message."""
        first, second = self._take(2)
        if second & 0x80:
            raise AssertionError("a server has masked a frame")
        size = second & 0x7F
        least = 0
        if size == 126:
            size, least = struct.unpack("!H", self._take(2))[0], 126
        elif size == 127:
            size, least = struct.unpack("!Q", self._take(8))[0], 65536
        if size < least:
            raise AssertionError("a length in more bytes than it needs")
        payload = self._take(size)
        self.received_bytes += size
        if first & 0x40:
            if not self.is_compressed:
                raise AssertionError("compressed, and nobody has agreed to that")
            payload = zlib.decompressobj(-15).decompress(payload + b"\0\0\xff\xff")
        return bool(first & 0x80), first & 0x0F, payload

    def receive_text(self):
        fin, opcode, payload = self.receive()
        if (fin, opcode) != (True, TEXT):
            raise AssertionError(f"no text: {opcode} {payload}")
        return payload.decode()

    def receive_close(self):
        """The code of the close frame that comes next."""
        _, opcode, payload = self.receive()
        if opcode != CLOSE:
            raise AssertionError(f"no close frame: {opcode} {payload}")
        return struct.unpack("!H", payload[:2])[0]

    def answer_close(self, code):
        self.send(CLOSE, struct.pack("!H", code))

    def close(self, code=1000):
        """Says it first; the code that the server answers with."""
        self.answer_close(code)
        return self.receive_close()

    def _take(self, count):
        while len(self._bytes) < count:
            self._read()
        taken, self._bytes = self._bytes[:count], self._bytes[count:]
        return taken

    def _read(self):
        chunk = self._socket.recv(1 << 16)
        if not chunk:
            raise ConnectionError("the server has ended the connection")
        self._bytes += chunk
