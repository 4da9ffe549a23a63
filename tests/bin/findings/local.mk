# SPDX-License-Identifier: MIT
shell_tests += %D%/findings.sh
EXTRA_DIST += %D%/findings_make.py
