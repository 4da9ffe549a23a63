# SPDX-License-Identifier: MIT
import json


class DynamoProfilerState:
    def __init__(self):
        self.timings = []

    def dump_stats(self, file):
        """Writes the names of the frames."""
        with open(file, "w", encoding="utf-8") as out:
            json.dump(self.timings, out)
