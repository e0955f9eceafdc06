"""The seeds of mysql_fuzz.cc, made by hand; make_seeds.py writes them.

Each is what a server says to one client: a greeting, the end of the login, the answer to the first
statement of the session, then the answers to what the second byte asks for.
"""

import struct

RAW, ONE_BY_ONE = 1, 2
AGAIN, PING, RESET, CALL, BEGIN, DROP = 1, 2, 4, 8, 16, 32
CUT = b"~~"

SCRAMBLE = b"abcdefgh", b"ijklmnopqrst"
MORE_RESULTS, CURSOR, STATE_CHANGED, IN_TRANSACTION = 8, 64, 0x4000, 1
# Of the protocol, and of MariaDB's extension of it.
OLD = 0xf7df  # all of the first 16, but compression and TLS
PLUGIN_AUTH = 0xf << 16
TRACKING = 1 << 23
METADATA_CACHE, EXTENDED_TYPES = 1 << 4, 1 << 3

LONG, LONGLONG, DOUBLE, BIT, DATETIME, VAR_STRING, BLOB = 3, 8, 5, 16, 12, 253, 252
UTF8MB4, BINARY = 45, 63


def lenenc(value):
    """A length, or what is as long."""
    if isinstance(value, bytes):
        return lenenc(len(value)) + value
    if value < 251:
        return bytes([value])
    if value < 65536:
        return b"\xfc" + struct.pack("<H", value)
    return b"\xfe" + struct.pack("<Q", value)


def greeting(login=b"mysql_native_password", version=b"5.5.5-10.11.0-MariaDB", flags=0, extended=0):
    flags |= OLD | PLUGIN_AUTH
    if extended:
        flags &= ~1
    return (b"\x0a" + version + b"\0" + struct.pack("<I", 7) + SCRAMBLE[0] + b"\0"
            + struct.pack("<HBHHB", flags & 0xffff, UTF8MB4, 2, flags >> 16, 21)
            + bytes(6) + struct.pack("<I", extended) + SCRAMBLE[1] + b"\0" + login + b"\0")


def ok(status=2, affected=0, last_id=0, more=b""):
    return b"\0" + lenenc(affected) + lenenc(last_id) + struct.pack("<HH", status, 0) + more


def eof(status=2):
    return b"\xfe" + struct.pack("<HH", 0, status)


def error(number, text, state=b"HY000"):
    return b"\xff" + struct.pack("<H", number) + b"#" + state + text


def column(name, kind, charset=UTF8MB4, flags=0, extended=None):
    names = b"".join(lenenc(text) for text in (b"def", b"shop", b"t", b"t", name, name))
    if extended is not None:
        names += lenenc(extended)
    return names + b"\x0c" + struct.pack("<HIBHBH", charset, 255, kind, flags, 0, 0)


def prepared(columns=(), places=0):
    answer = [b"\0" + struct.pack("<IHHBH", 1, len(columns), places, 0, 0)]
    if places:
        answer += [column(b"?", VAR_STRING)] * places + [eof()]
    if columns:
        answer += [*columns, eof()]
    return answer


def row(*cells):
    """In binary; none: null."""
    nulls = sum(1 << (i + 2) for i, cell in enumerate(cells) if cell is None)
    bitmap = nulls.to_bytes((len(cells) + 9) // 8, "little")
    return b"\0" + bitmap + b"".join(cell for cell in cells if cell is not None)


def result(columns, rows, status=2, head=b""):
    return [lenenc(len(columns)) + head, *columns, eof(status), *rows, eof(status)]


def login(*answers, **options):
    return [greeting(**options), ok(), ok(), *answers]


TWO = column(b"id", LONGLONG), column(b"name", VAR_STRING)
ROWS = [row(struct.pack("<q", i), lenenc(b"name %d" % i)) for i in range(7)]
NUMBERS = (column(b"a", LONG, BINARY, 32), column(b"b", DOUBLE), column(b"c", BIT, BINARY, 32),
           column(b"d", DATETIME), column(b"e", BLOB, BINARY), column(b"f", 246), column(b"g", 200))
NUMBER_ROWS = [
    row(b"\xff\xff\xff\xff", struct.pack("<d", 1.5), lenenc(b"\x01\x02"),
        lenenc(struct.pack("<HBBBBB", 2024, 2, 29, 23, 59, 58)), lenenc(b"\0\1\2"),
        lenenc(b"-12.50"), lenenc(b"?")),
    row(*[None] * 7),
]
LONG_ROW = [row(struct.pack("<q", 1), lenenc(b"x" * 3000)),
            row(struct.pack("<q", 2), lenenc(b"y" * 5000))]


def conversations():
    """What is done, and what is said."""
    select = prepared(TWO, 2)
    yield "honest", AGAIN | PING | RESET | CALL | BEGIN, login(
        *select, *result(TWO, ROWS), *result(TWO, ROWS[:1]), ok(), ok(), ok(), ok(),
        *prepared(), ok(MORE_RESULTS | 2), ok(), *prepared(), ok(IN_TRANSACTION))
    yield "mysql-8", PING, login(
        *select, *result(TWO, ROWS[:2]), ok(), version=b"8.0.36", login=b"caching_sha2_password",
        flags=TRACKING)
    yield "sha2-known", PING, [greeting(login=b"caching_sha2_password"), b"\1\3", ok(), ok()]
    yield "sha2-unknown", PING, [greeting(login=b"caching_sha2_password"), b"\1\4", ok(), ok()]
    yield "sha256", 0, [greeting(login=b"sha256_password"), b"\1-----BEGIN PUBLIC KEY-----\n"]
    yield "ed25519", 0, [greeting(login=b"client_ed25519"), ok(), ok()]
    for other in (b"mysql_native_password", b"mysql_clear_password", b"mysql_old_password", b""):
        switch = b"\xfe" + other + b"\0" + b"".join(SCRAMBLE) + b"\0"
        yield "switch-to-" + other.decode(), 0, [greeting(), switch, ok(), ok()]
    yield "switch-cut", 0, [greeting(), b"\xfemysql_native_password", ok(), ok()]
    yield "switch-old", 0, [greeting(), b"\xfe", ok(), ok()]
    yield "denied", 0, [greeting(), error(1045, b"Access denied", b"28000")]
    yield "too-many", 0, [error(1040, b"Too many connections", b"08004")]
    yield "blocked", 0, [b"\xff" + struct.pack("<H", 1130) + b"Host 'x' is not allowed"]
    yield "progress-first", 0, [error(65535, b"\1\1\1\0\0\0\1x", b""), greeting(), ok()]
    yield "progress", 0, login(
        *select, b"\xff\xff\xff\1\1\2\x10\0\0\4copy", *result(TWO, ROWS[:1]))
    yield "protocol-9", 0, [b"\x093.23.49\0\1\0\0\0abcdefgh\0"]
    yield "greeting-cut", 0, [greeting()[:30]]
    yield "greeting-old", 0, [greeting()[:46], ok(), ok()]
    yield "numbers", AGAIN, login(
        *prepared(NUMBERS, 2), *result(NUMBERS, NUMBER_ROWS), *result(NUMBERS, NUMBER_ROWS))
    yield "long-rows", 0, login(*select, *result(TWO, LONG_ROW))
    yield "dropped", AGAIN | DROP, login(*select, *result(TWO, ROWS), *result(TWO, ROWS))
    yield "dropped-at-the-end", DROP, login(*select, *result(TWO, ROWS)[:-1])
    yield "columns-change", AGAIN, login(
        *select, *result(TWO, ROWS[:1]), *result(NUMBERS[:2], [row(b"1234", b"12345678")]))
    yield "renamed", AGAIN, login(
        *select, *result(TWO, ROWS[:1]),
        *result((column(b"key", LONGLONG), TWO[1]), ROWS[:1]))
    yield "no-place", 0, login(*prepared(TWO, 0), *result(TWO, ROWS))
    yield "wants-file", 0, login(*select, b"\xfb/etc/hostname")
    yield "wants-file-at-once", 0, [greeting(), ok(), b"\xfb/etc/hostname"]
    yield "wants-file-in-prepare", 0, login(b"\xfb/etc/hostname")
    yield "error-in-prepare", 0, login(error(1064, b"You have an error", b"42000"))
    yield "error-in-execute", AGAIN, login(
        *select, error(1213, b"Deadlock found", b"40001"), *select, *result(TWO, ROWS))
    yield "error-in-rows", AGAIN, login(
        *select, *result(TWO, ROWS[:1])[:-1], error(1317, b"interrupted", b"70100"))
    yield "not-prepared", BEGIN, login(error(1295, b"not supported yet"), error(1295, b"no"), ok())
    yield "reprepare", AGAIN, login(
        *select, *result(TWO, ROWS[:1]), error(1615, b"re-prepare"), ok())
    yield "results", CALL, login(
        *prepared((), 2), ok(), *prepared(TWO), *result(TWO, ROWS, MORE_RESULTS | 2),
        *result(NUMBERS, NUMBER_ROWS, MORE_RESULTS | 2), ok())
    changed = lenenc(b"") + lenenc(
        b"\0" + lenenc(lenenc(b"autocommit") + lenenc(b"ON")) + b"\1" + lenenc(lenenc(b"shop"))
        + b"\2" + lenenc(b"\x011"))
    yield "session-state", PING | RESET, login(
        *prepared((), 2), ok(STATE_CHANGED | 2, 1, 2, changed), ok(), ok(), ok(), ok(), ok(),
        flags=TRACKING)
    yield "metadata-kept", AGAIN, login(
        *select, *result(TWO, ROWS[:1], head=b"\1"), lenenc(2) + b"\0", *ROWS[:1], eof(),
        extended=METADATA_CACHE)
    wide = column(b"id", LONGLONG, extended=b"\0\4uuid"), column(b"name", VAR_STRING, extended=b"")
    yield "types-told", 0, login(
        *prepared(wide, 2), *result(wide, ROWS[:1]), extended=EXTENDED_TYPES)
    yield "columns-without-end", 0, login(*select, lenenc(60000), *TWO)
    yield "row-cut", 0, login(*select, lenenc(2), *TWO, eof(), ROWS[0][:-3], eof())
    yield "no-columns", 0, login(*select, lenenc(0), eof())
    yield "empty-packets", 0, [b"", b"", b""]


def raw(payloads):
    return b"".join(struct.pack("<I", len(text))[:3] + b"\0" + text for text in payloads)


def mysql_seeds():
    for name, what, payloads in conversations():
        yield name, bytes([0, what]) + CUT.join(payloads)
        yield name + "-one-by-one", bytes([ONE_BY_ONE, what]) + CUT.join(payloads)
    huge = login(*prepared(TWO, 2))
    yield "raw-long-head", bytes([RAW, 0]) + raw(huge) + b"\xff\xff\xff\0" + b"x" * 100
    yield "raw-end-in-head", bytes([RAW, 0]) + raw(huge) + b"\5\0"
    yield "raw-nothing", bytes([RAW, 0])
