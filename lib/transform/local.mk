# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/align.c %D%/align.h \
	%D%/choose.c %D%/choose.h \
	%D%/combine.c %D%/combine.h \
	%D%/cut.c %D%/cut.h \
	%D%/moment.c %D%/moment.h \
	%D%/redact.c %D%/redact.h \
	%D%/redact_text.c %D%/redact_text.h
