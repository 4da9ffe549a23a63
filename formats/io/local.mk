# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/amount.c %D%/amount.h \
	%D%/csv_field.c %D%/csv_field.h \
	%D%/gzip_file.c %D%/gzip_file.h \
	%D%/inflate_file.c %D%/inflate_file.h \
	%D%/inflate_whole.c %D%/inflate_whole.h \
	%D%/known_formats.c %D%/known_formats.h \
	%D%/lines.c %D%/lines.h \
	%D%/truncation.c %D%/truncation.h \
	%D%/unit.c %D%/unit.h \
	%D%/xml.c %D%/xml.h
