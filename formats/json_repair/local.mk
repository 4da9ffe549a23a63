# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/repair.c %D%/repair.h \
	%D%/repair_fix.c %D%/repair_fix.h \
	%D%/repair_io.c %D%/repair_io.h \
	%D%/repair_look.c %D%/repair_look.h \
	%D%/repair_strict.c %D%/repair_strict.h \
	%D%/repair_unit.c %D%/repair_unit.h \
	%D%/repair_value.c %D%/repair_value.h \
	%D%/repair_word.c %D%/repair_word.h
