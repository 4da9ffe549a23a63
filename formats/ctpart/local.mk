# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/ctpart.c %D%/ctpart.h
