"""Runs statements and queries of a JSON document on ClickHouse in this process, and prints the rows of the queries."""

import json
import sys

from chdb.session import Session

given = json.load(sys.stdin)
session = Session()
session.query("CREATE DATABASE proof")
session.query("USE proof")
for statement in given["statements"]:
    session.query(statement)
for query in given["queries"]:
    sys.stdout.write(session.query(query, "JSONEachRow").bytes().decode())
