# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/repair_json.c %D%/repair_json.h
