# SPDX-License-Identifier: MIT
shell_tests += %D%/compilations.sh
EXTRA_DIST += %D%/compilations_check.py
