"""The seeds of the WebSocket targets, made by hand; make_seeds.py writes them."""

import zlib

KEY = b"\x12\xef\x80\x05"


def frame(opcode, payload=b"", fin=True, masked=True, rsv=0, length=None):
    """A WebSocket frame; `length` is the bytes of its length, when not as few as it needs."""
    size = len(payload)
    if length is None:
        length = 0 if size < 126 else 2 if size < 65536 else 8
    short = {0: size, 2: 126, 8: 127}[length]
    head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode, (0x80 if masked else 0) | short])
    head += size.to_bytes(length, "big") if length else b""
    if not masked:
        return head + payload
    return head + KEY + bytes(byte ^ KEY[i % 4] for i, byte in enumerate(payload))


def frame_parser_seeds():
    """As frame_parser_fuzz.cc reads them: 1 = as a client, 2 = may be compressed, 4 = narrow."""
    ping = frame(9, b"are you there")
    fragments = [frame(1, b"one ", fin=False), frame(0, b"two ", fin=False), frame(0, b"three")]
    streams = {
        "text": frame(1, b"hello"),
        "unmasked": frame(1, b"hello", masked=False),
        "empty": frame(2),
        "fragments": b"".join(fragments),
        "interleaved": fragments[0] + ping + fragments[1] + frame(10) + fragments[2] + ping,
        "nested": fragments[0] + frame(2, b"new"),
        "nothing-to-continue": frame(0, b"lost"),
        "compressed": frame(1, b"\xf2\x48\xcd\xc9\xc9\x07\x00", rsv=4),
        "compressed-fragments": frame(1, b"\xf2\x48\xcd", fin=False, rsv=4) + frame(0, b"\xc9\0"),
        "compressed-continuation": fragments[0] + frame(0, b"x", rsv=4),
        "compressed-ping": frame(9, rsv=4),
        "fragmented-ping": frame(9, b"x", fin=False),
        "long-ping": frame(9, b"x" * 126),
        "longest-ping": frame(9, b"x" * 125) + ping,
        "two-bytes": frame(2, b"x" * 126) + ping,
        "two-bytes-not-needed": frame(2, b"x" * 125, length=2),
        "eight-bytes-not-needed": frame(2, b"x" * 200, length=8),
        "eight-bytes": b"\x82\xff" + (1 << 62).to_bytes(8, "big") + KEY,
        "eight-bytes-negative": b"\x82\xff" + b"\xff" * 8 + KEY,
        "cut": frame(1, b"x" * 30)[:20],
        "close": frame(8),
        "close-one-byte": frame(8, b"\x03"),
        "close-reason": frame(8, b"\x03\xe9going away \xe2\x82\xac"),
        "close-bad-reason": frame(8, b"\x03\xe8\xff"),
        "close-bad-code": frame(8, b"\x03\xed"),
        "at-limits": frame(1, b"x" * 40, fin=False) + frame(0, b"y" * 20),
        "above-frame": frame(1, b"x" * 41),
        "above-message": frame(1, b"x" * 40, fin=False) + frame(0, b"y" * 21),
        "empty-fragments": frame(1, b"x", fin=False) + frame(0, fin=False) * 2 + frame(0, b"y"),
        "too-many-empty": frame(1, fin=False) + frame(0, fin=False) * 2,
        "many-fragments": fragments[0] + frame(0, b"y", fin=False) * 3 + frame(0, b"z"),
        "too-many-fragments": fragments[0] + frame(0, b"y", fin=False) * 5,
        "rsv2": frame(1, rsv=2),
        "rsv3": frame(1, rsv=1),
    }
    for opcode in (3, 7, 11, 15):
        streams[f"opcode-{opcode}"] = frame(opcode, b"x")
    for name, stream in streams.items():
        for choice in (0, 2, 4, 6):
            yield f"{name}-{choice}", bytes([choice]) + stream
    for name in ("text", "unmasked"):
        yield f"{name}-1", b"\1" + streams[name]
    unmasked = frame(1, b"one ", fin=False, masked=False) + frame(9, b"?", masked=False)
    yield "interleaved-1", b"\1" + unmasked + frame(0, b"two", masked=False)


def utf8_seeds():
    greek = "\u03ba\u1f79\u03c3\u03bc\u03b5".encode()
    texts = {
        "ascii": b"x" * 100,
        "greek": greek * 12,
        "mixed": "a\u00e4\u20ac\U0001f600".encode() * 13,
        "last": b"\xf4\x8f\xbf\xbf",
        "empty": b"",
    }
    for name, text in texts.items():
        yield name, text
        yield name + "-cut", text[:-1]
    for bad in ("80", "c0af", "c1bf", "e08080", "e09fbf", "eda080", "edbfbf", "f0808080",
                "f08fbfbf", "f4908080", "f5808080", "f888808080", "fe", "ff", "e28278", "f09f9878"):
        yield "bad-" + bad, bytes.fromhex(bad)
        yield "behind-" + bad, greek + bytes.fromhex(bad) + b"edited"
        for before in (29, 30, 31, 61, 62, 63):
            yield f"at-{before}-{bad}", b"x" * before + bytes.fromhex(bad) + b"x" * 40


def mask_seeds():
    for size in (0, 1, 3, 4, 7, 8, 31, 32, 63, 64, 127, 128, 129, 200):
        for place in (0, 1, 65, 130, 195, 255):
            yield f"{size}-{place}", KEY + bytes([place]) + bytes(i * 7 % 256 for i in range(size))


def framed(payloads):
    """Each behind its size."""
    return b"".join(len(payload).to_bytes(2, "big") + payload for payload in payloads)


def messages(*texts):
    """Messages of permessage-deflate, each behind its size."""
    compressor = zlib.compressobj(6, zlib.DEFLATED, -15)
    payloads = []
    for text in texts:
        payload = compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH)
        payloads.append(payload.removesuffix(b"\0\0\xff\xff"))
    return framed(payloads)


def ws_inflate_seeds():
    """A byte that says whether the context is kept, then messages."""
    final = b"\xf3\x48\xcd\xc9\xc9\x07\x00"
    back = b"\xf2\x00\x11\x00\x00"
    noise = bytes(i * i * 31 % 251 for i in range(3000))
    for name, texts in {
        "hello": [b"Hello"],
        "look-back": [b"Hello", b"Hello", b"Hello"],
        "long": [bytes(range(256)) * 40, b"a", bytes(range(256)) * 40],
        "noise": [noise, noise],
        "limit": [b"a" * 65535 + b"b", b"c" * 65536],
        "bomb": [b"Hello", b"a" * 200000],
    }.items():
        yield f"kept-{name}", b"\0" + messages(*texts)
        yield f"forgotten-{name}", b"\1" + messages(*texts)
    for name, payloads in {
        "empty": [b"\0", b"\0"],
        "nothing": [b""],
        "stored": [b"\0\5\0\xfa\xffHello\0"],
        "final": [final + b"\0", back],
        "final-alone": [final, back],
        "final-inside": [final + final + back],
        "final-cut": [final[:-1]],
        "final-many": [b"\3\0" * 50 + back],
        "two-blocks": [b"\xf2\x48\5\0\0\0\xff\xff\xca\xc9\xc9\7\0"],
        "too-far-back": [back],
        "garbage": [final + b"\0xx"],
        "cut": [b"\xf2\x48\xcd\xc9"],
    }.items():
        yield name, b"\0" + framed(payloads)


def ws_handshake_seeds():
    """A byte of choices, then what the target says."""
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    origin = "http://a.example"
    extensions = {
        "chrome": "permessage-deflate; client_max_window_bits",
        "none": "",
        "all": "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
        "server_max_window_bits=10; client_max_window_bits=\"11\"",
        "fallback": "permessage-deflate; server_max_window_bits=8, x-webkit-deflate-frame, "
        "permessage-deflate; client_max_window_bits=9; server_max_window_bits=9",
        "twice": "permessage-deflate; client_max_window_bits; client_max_window_bits",
        "window-7": "permessage-deflate; server_max_window_bits=7",
        "window-16": "permessage-deflate; client_max_window_bits=16",
        "escape": "permessage-deflate; server_max_window_bits=\"1\\0\"",
        "bad": "permessage-deflate; a=\"b c\"",
        "many": ", ".join(["permessage-deflate; a" + "; b=c" * 15] * 8),
    }
    for number, (name, value) in enumerate(extensions.items()):
        for choices in (0, 0x7A):
            lines = "\n".join([value, "b, chat", origin, key])
            yield f"{name}-{choices}", bytes([choices | number % 2]) + lines.encode()
    for name, lines in {
        "origin-null": ["", "", "null", key],
        "origin-listed": ["", "", "https://a.example", key],
        "protocol-bad": ["", "a b", "", key],
        "protocol-twice": ["", "b,b", "", key],
        "key-short": ["", "", "", key[:-4]],
        "key-twice": ["", "", "", key, "Sec-WebSocket-Key: " + key],
        "body": ["", "", "", key, "Content-Length: 3"],
        "more-lines": [extensions["chrome"], "b", origin, key,
                       "Sec-WebSocket-Extensions: permessage-deflate", "Sec-WebSocket-Protocol: c"],
    }.items():
        for choices in (0, 1):
            yield f"{name}-{choices}", bytes([choices]) + "\n".join(lines).encode()
