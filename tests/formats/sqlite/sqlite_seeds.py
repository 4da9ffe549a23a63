# SPDX-License-Identifier: MIT
"""Small databases as seeds for fuzzing, whole, truncated and changed.

Usage: sqlite_seeds.py DIRECTORY
"""

import os
import random
import sqlite3
import sys

import sqlite_schemas
from sqlite_schemas import add

KERNELS = ("CUPTI_ACTIVITY_KIND_KERNEL",
           "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL")


def fill(c):
    """A row or two of every table."""
    for number, text in enumerate(("cudaLaunchKernel_v7000", "_Z1fv", "r"), 1):
        add(c, "StringIds", id=number, value=text)
        add(c, "StringTable", _id_=number, value=text)
    for i in range(3):
        t = 1000 * i
        call = {"start": t, "end": t + 50, "globalTid": 1 << 24 | 7,
                "nameId": 1, "cbid": 211, "processId": 1, "threadId": 7,
                "correlationId": i}
        for table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "PROFILER_OVERHEAD",
                      "CUPTI_ACTIVITY_KIND_DRIVER"):
            add(c, table, **call)
        add(c, "NVTX_EVENTS", start=t, end=t + 900 - i, eventType=59 + i % 2,
            text="r", globalTid=1 << 24 | 7, domainId=i, rangeId=i)
        for flags, name in ((2, 3), (4, 0), (1, 3)):
            add(c, "CUPTI_ACTIVITY_KIND_MARKER", flags=flags, name=name, id=i,
                timestamp=t + flags, objectKind=2, domain=3,
                objectId=bytes(12))
        work = {"start": t + 60, "end": t + 70, "deviceId": 0, "contextId": 1,
                "streamId": 7, "correlationId": i, "globalPid": 1 << 24,
                "bytes": 4, "copyKind": i, "srcKind": i, "dstKind": 2,
                "syncType": i, "value": 0, "gridX": 1, "blockX": 1}
        for table in KERNELS:
            add(c, table, demangledName=2, shortName=2, mangledName=2, name=2,
                **work)
        for kind in ("MEMCPY", "MEMSET", "SYNCHRONIZATION"):
            add(c, "CUPTI_ACTIVITY_KIND_" + kind, **work)
    add(c, "TARGET_INFO_GPU", id=0, cuDevice=0, name="GPU")
    add(c, "CUPTI_ACTIVITY_KIND_DEVICE", id=0, name=3, uuid=bytes(16))


def main(directory):
    chance = random.Random(3)
    for number, version in enumerate(sorted(sqlite_schemas.SCHEMAS)):
        path = os.path.join(directory, "whole-%d" % number)
        if os.path.exists(path):
            os.unlink(path)
        c = sqlite3.connect(path)
        c.execute("PRAGMA page_size = 512")
        c.execute("PRAGMA journal_mode = MEMORY")
        sqlite_schemas.create(c, version)
        fill(c)
        c.commit()
        c.close()
        with open(path, "rb") as file:
            whole = file.read()
        for i in range(4):
            content = bytearray(whole)
            if i == 0:
                del content[len(content) // 2:]
            for _ in range(20 * i):
                content[chance.randrange(16, len(content))] = \
                    chance.randrange(256)
            with open("%s-%d" % (path, i), "wb") as file:
                file.write(content)


main(sys.argv[1])
