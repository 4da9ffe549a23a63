# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/json.c %D%/json.h \
	%D%/json_key_cache.c %D%/json_key_cache.h \
	%D%/json_members.c %D%/json_members.h \
	%D%/json_scan.c %D%/json_scan.h \
	%D%/json_state.h \
	%D%/json_value.c %D%/json_value.h
