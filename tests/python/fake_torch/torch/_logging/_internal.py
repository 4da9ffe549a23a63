# SPDX-License-Identifier: MIT
"""The log of TORCH_TRACE, whose file is made for the first message."""
import json
import logging
import os
import tempfile

trace_log = logging.getLogger("torch.__trace")
trace_log.propagate = False
trace_log.setLevel(logging.DEBUG)


class LazyTraceHandler(logging.Handler):
    def __init__(self, root_dir):
        super().__init__()
        self.root_dir = root_dir
        self.file = None

    def emit(self, record):
        if self.root_dir is None:
            trace_log.removeHandler(self)
            return
        if self.file is None:
            os.makedirs(self.root_dir, exist_ok=True)
            self.file = tempfile.NamedTemporaryFile(
                "w", suffix=".log", prefix="dedicated_log_torch_trace_",
                dir=self.root_dir, delete=False)
        self.file.write("V1128 05:36:37.349000 1 torch/_dynamo/utils.py:1] "
                        f"{record.getMessage()}\n")
        self.file.flush()


LOG_TRACE_HANDLER = LazyTraceHandler(os.environ.get("TORCH_TRACE"))
trace_log.addHandler(LOG_TRACE_HANDLER)


def log_compilation(frame, code):
    metrics = {"compile_id": f"{frame}/0", "co_name": code.co_name,
               "co_filename": code.co_filename,
               "co_firstlineno": code.co_firstlineno,
               "start_time": 1795844197.0, "entire_frame_compile_time_s": 0.5,
               "graph_op_count": 1, "guard_count": 1, "fail_type": None}
    trace_log.debug(json.dumps({"compilation_metrics": metrics,
                                "frame_id": frame, "frame_compile_id": 0,
                                "attempt": 0}).replace("%", "%%"))
