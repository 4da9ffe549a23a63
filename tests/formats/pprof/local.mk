# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	%D%/pprof_read.py
