# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	%D%/speedscope_check.py
