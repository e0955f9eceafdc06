"""The seeds of the database targets, made by hand; make_seeds.py writes them."""

import json

SELECT, INSERT, UPDATE, DELETE, BACKTICKS = 0, 1, 2, 3, 4


def statement_builder_seeds():
    """As statement_builder_fuzz.cc reads them: which statement, and whose quotes."""
    odd = 'odd "`table?'
    requests = {
        "select": (SELECT, {"tableName": "user"}),
        "select-what": (SELECT, {
            "tableName": "movie", "what": ["id", "name"], "data": {"name": "B%", "id": [1, 2]},
            "op": ["like", "in"], "order": ["name", {"id": "desc"}], "limit": 10, "offset": 20}),
        "select-star": (SELECT, {"tableName": "user", "what": ["*"], "data": {"id": None}}),
        "select-all-operators": (SELECT, {
            "tableName": "movie",
            "and": [
                {"data": {"id": 1, "name": "a", "length": 1.5, "price": "2.50"},
                 "op": ["=", "!=", "<", "<="]},
                {"data": {"id": 2, "name": "x\\%", "length": [1, 2], "price": [1, 2]},
                 "op": ["<>", "not like", "between", "not between"]},
                {"data": {"poster": "AAEC", "note": True, "place": None}, "op": [">", ">=", "!="]},
            ]}),
        "select-nested": (SELECT, {
            "tableName": "movie",
            "or": [{"not": {"or": [{"data": {"id": 1}}, {"data": {"id": 2}}]}},
                   {"and": [{"data": {"name": None}, "op": ["!="]}]}]}),
        "select-odd": (SELECT, {"tableName": odd, "data": {'a"b': 1, "c`d": "x", "?": 1}}),
        "select-odd-backticks": (SELECT | BACKTICKS, {
            "tableName": odd, "what": ['a"b', "c`d", "?"], "order": ["?"]}),
        "insert": (INSERT, {"tableName": "user", "data": {"id": 1, "password": "it's"}}),
        "insert-many": (INSERT, {
            "tableName": "user",
            "data": [{"id": 1, "password": "a"}, {"password": None, "id": 2}]}),
        "insert-ragged": (INSERT, {"tableName": "user", "data": [{"id": 1}, {"password": "a"}]}),
        "update": (UPDATE, {
            "tableName": "movie", "set": {"name": "x", "poster": "AA=="}, "data": {"id": 1}}),
        "update-all": (UPDATE | BACKTICKS, {
            "tableName": "user", "set": {"password": None}, "all": True}),
        "delete": (DELETE, {"tableName": "user", "data": {"id": [1, 2]}, "op": ["NOT IN"]}),
        "delete-all": (DELETE, {"tableName": "user", "all": True}),
        "delete-nothing": (DELETE, {"tableName": "user"}),
        "typo": (DELETE, {"tableName": "usr", "date": {}}),
        "attack-value": (SELECT, {"tableName": "user", "data": {"password": "' OR '1'='1"}}),
        "attack-table": (SELECT, {"tableName": 'user" WHERE 1=1 -- '}),
        "attack-column": (SELECT, {"tableName": "user", "data": {'id" = 1 OR "id': 1}}),
        "attack-operator": (SELECT, {"tableName": "user", "data": {"id": 1}, "op": ["= 1 OR "]}),
        "attack-limit": (SELECT, {"tableName": "user", "limit": "1; DROP TABLE user"}),
        "attack-kind": (SELECT, {"tableName": "user", "data": {"password": {"!=": ""}}}),
        "attack-number": (SELECT, {"tableName": "user", "data": {"password": 0}}),
        "too-many": (SELECT, {"tableName": "user", "data": {"id": [1] * 5}, "op": ["in"]}),
    }
    for name, (kind, request) in requests.items():
        yield name, bytes([kind]) + json.dumps(request).encode()
    yield "comments", b"\0{/* x */ \"tableName\": \"user\", // y\n \"what\": [\"id\",],}"
    yield "deep", b"\0" + b'{"tableName": "user", ' + b'"not": {' * 9 + b"}" * 10
    numbers = b'{"length": 1e308, "id": 18446744073709551615}'
    yield "numbers", b'\0{"tableName": "movie", "data": ' + numbers + b"}"
