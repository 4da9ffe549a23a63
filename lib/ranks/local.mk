# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/collective_kind.c %D%/collective_kind.h \
	%D%/collective_reader.c %D%/collective_reader.h \
	%D%/collectives.c %D%/collectives.h \
	%D%/ranks.c %D%/ranks.h \
	%D%/ranks_input.c %D%/ranks_input.h \
	%D%/ranks_merged.c %D%/ranks_merged.h \
	%D%/ranks_place.c \
	%D%/spread.c %D%/spread.h \
	%D%/stragglers.c %D%/stragglers.h
