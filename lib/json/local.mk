# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/json.c %D%/json.h \
	%D%/json_block.c %D%/json_block.h \
	%D%/json_key_cache.c %D%/json_key_cache.h \
	%D%/json_members.c %D%/json_members.h \
	%D%/json_scan.c %D%/json_scan.h \
	%D%/json_value.c %D%/json_value.h \
	%D%/json_walk.c %D%/json_walk.h
