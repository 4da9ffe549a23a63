# SPDX-License-Identifier: MIT
"""Malicious databases: they are rejected, or read with little work.

Usage: sqlite_hostile.py DIRECTORY
"""

import os
import sqlite3
import struct
import sys

from checks import FAILED, check, run

THREAD = 1 << 24 | 7


def convert(path, *arguments):
    result = run("convert", "-t", "folded", *arguments, path, timeout=600)
    return result.returncode, result.stdout, result.stderr.decode()


def make(work, strings="(id INTEGER PRIMARY KEY, value TEXT)", rows=10,
         text="f%d"):
    """An export of Nsight Systems with a range for each of the names."""
    path = os.path.join(work, "hostile.sqlite")
    if os.path.exists(path):
        os.unlink(path)
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE StringIds %s" % strings)
    c.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, "
              "eventType INTEGER, text TEXT, globalTid INTEGER, "
              "textId INTEGER)")
    for i in range(rows):
        c.execute("INSERT INTO StringIds (id, value) VALUES (?, ?)",
                  (i, text % i))
        c.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, NULL, ?, ?)",
                  (10 * i, 10 * i + 5, THREAD, i))
    c.commit()
    return path, c


def rewrite(path, c, table, sql):
    """Another definition for the existing rows."""
    c.execute("PRAGMA writable_schema = ON")
    c.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, table))
    c.commit()
    c.close()


def refuses(name, path, table):
    status, out, words = convert(path)
    check(status == 3 and not out and words.count("\n") == 1 and
          '"%s" is a view, is virtual' % table in words, name,
          (status, words))


def test_computed(work):
    path, c = make(work)
    rewrite(path, c, "StringIds",
            "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT "
            "AS (replace(hex(zeroblob(3e7)), '00', hex(id) || 'ab')))")
    refuses("a name that is computed when it is read", path, "StringIds")

    path, c = make(work)
    rewrite(path, c, "NVTX_EVENTS",
            "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, "
            "eventType INTEGER, text TEXT, globalTid INTEGER, "
            "textId INTEGER, jsonText TEXT AS (hex(zeroblob(3e7))) STORED)")
    refuses("a column that was computed", path, "NVTX_EVENTS")

    for table in ("StringIds", "NVTX_EVENTS"):
        path, c = make(work)
        c.execute("ALTER TABLE %s RENAME TO other" % table)
        c.execute("CREATE VIEW %s AS SELECT * FROM other" % table.upper())
        c.commit()
        c.close()
        refuses("a view instead of %s" % table, path, table)

    path, c = make(work)
    c.execute("CREATE VIEW TARGET_INFO_GPU AS WITH RECURSIVE r(id) AS "
              "(SELECT 1 UNION ALL SELECT id + 1 FROM r) SELECT * FROM r")
    c.execute("CREATE VIEW mine AS SELECT start, end, globalTid, textId AS "
              "nameId FROM NVTX_EVENTS")
    c.execute("CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN "
              "DELETE FROM StringIds; END")
    c.commit()
    c.close()
    status, out, words = convert(path)
    check((status, out.count(b"\n"), words) == (0, 10, ""),
          "views of the user's own do no harm",
          (status, out, words))

    path, c = make(work)
    try:
        c.execute("CREATE VIRTUAL TABLE PROCESSES USING "
                  "rtree(globalPid, a, b)")
    except sqlite3.OperationalError as error:
        print("skipped a virtual table: %s" % error)
        return
    c.commit()
    c.close()
    refuses("a virtual table", path, "PROCESSES")


def test_memory(work):
    """SQLite's memory is counted, and the file cannot ask for more."""
    path, c = make(work, rows=20000, text="function %d " + 200 * "x")
    c.close()
    status, out, words = convert(path, "--max-mem=4M")
    check(status == 6 and not out and "--max-mem" in words,
          "SQLite's memory counts for --max-mem", (status, words))

    path, c = make(work)
    c.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, NULL)",
                  ((10 * i, 10 * i + 5, "x" * 1000, THREAD)
                   for i in range(60000, 0, -1)))
    c.commit()
    c.close()
    with open(path, "r+b") as file:
        file.seek(48)  # the cache size in the file
        file.write(struct.pack(">i", 1 << 30))
    status, out, words = convert(path, "--max-mem=24M")
    check((status, words) == (0, ""),
          "the file's own size of the cache is not heeded", (status, words))


def main(work):
    test_computed(work)
    test_memory(work)
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
