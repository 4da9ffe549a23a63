# SPDX-License-Identifier: MIT


class DynamoProfilerState:
    def __init__(self):
        self.timings = []
