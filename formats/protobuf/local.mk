# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/protobuf.c %D%/protobuf.h
