# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/repair.c %D%/repair.h \
	%D%/repair_fix.c %D%/repair_fix.h \
	%D%/repair_io.c %D%/repair_io.h \
	%D%/repair_literal.c %D%/repair_literal.h \
	%D%/repair_lookahead.c %D%/repair_lookahead.h \
	%D%/repair_record.c %D%/repair_record.h \
	%D%/repair_validate.c %D%/repair_validate.h \
	%D%/repair_value.c %D%/repair_value.h
