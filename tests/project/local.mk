# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/format.sh \
	%D%/guide.sh \
	%D%/installed.sh \
	%D%/layers.sh \
	%D%/listed.sh \
	%D%/manual.sh \
	%D%/pages.sh \
	%D%/prose.sh \
	%D%/schemas.sh \
	%D%/size.sh
EXTRA_DIST += \
	%D%/cmake \
	%D%/consumer.c \
	%D%/consumer.cc \
	%D%/prose.py \
	%D%/schemas_check.py \
	%D%/schemas_validate.py
