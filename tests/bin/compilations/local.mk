# SPDX-License-Identifier: MIT
shell_tests += %D%/compilations.sh %D%/functions.sh
EXTRA_DIST += %D%/compilations_check.py %D%/functions_check.py
