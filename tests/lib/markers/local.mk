# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/itt.sh \
	%D%/nvtx.sh
EXTRA_DIST += \
	%D%/itt_client.h \
	%D%/itt_program.c \
	%D%/itt_program.py \
	%D%/nvtx_client.h \
	%D%/nvtx_headers.c \
	%D%/nvtx_program.c \
	%D%/nvtx_program.py
