# SPDX-License-Identifier: MIT
shell_tests += %D%/compilations.sh %D%/compilers.sh %D%/functions.sh
EXTRA_DIST += \
	%D%/compilations_check.py %D%/compilers_check.py %D%/functions_check.py
