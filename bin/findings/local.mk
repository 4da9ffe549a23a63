# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/finding_changes.c \
	%D%/finding_devices.c \
	%D%/finding_functions.c \
	%D%/finding_memory.c \
	%D%/finding_rules.h \
	%D%/findings.c %D%/findings.h \
	%D%/findings_of.c %D%/findings_of.h \
	%D%/findings_report.c %D%/findings_report.h \
	%D%/page_data.c %D%/page_data.h
