# SPDX-License-Identifier: MIT
shell_tests += %D%/torch_trace.sh
EXTRA_DIST += %D%/torch_trace.py
