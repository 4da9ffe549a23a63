# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/sqlite.c \
	%D%/sqlite_write.h
if HAVE_SQLITE
libformats_la_SOURCES += \
	%D%/sqlite_file.c %D%/sqlite_file.h \
	%D%/sqlite_write.c
endif
