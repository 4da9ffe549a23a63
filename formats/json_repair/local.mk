# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/repair.c %D%/repair.h \
	%D%/repair_document.c \
	%D%/repair_fix.c %D%/repair_fix.h \
	%D%/repair_level.c \
	%D%/repair_look.c %D%/repair_look.h \
	%D%/repair_member.c \
	%D%/repair_out.c %D%/repair_out.h \
	%D%/repair_private.h \
	%D%/repair_search.c \
	%D%/repair_strict.c %D%/repair_strict.h \
	%D%/repair_text.c %D%/repair_text.h \
	%D%/repair_times.c %D%/repair_times.h \
	%D%/repair_unit.c \
	%D%/repair_value.c %D%/repair_value.h \
	%D%/repair_walk.c %D%/repair_walk.h \
	%D%/repair_window.c %D%/repair_window.h \
	%D%/repair_word.c %D%/repair_word.h
