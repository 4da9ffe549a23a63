# SPDX-License-Identifier: MIT
# Chunks of records, the spool that holds them, and the blocks of the log made
# from them: for the recorder, and for completing a dead recorder's log.
noinst_LTLIBRARIES += libpack.la
libpack_la_LIBADD = libbase.la
libpack_la_SOURCES = \
	%D%/chunk.h \
	%D%/options.c %D%/options.h \
	%D%/pack.c %D%/pack.h \
	%D%/pack_record.c %D%/pack_record.h \
	%D%/process.c %D%/process.h \
	%D%/spool.c %D%/spool.h \
	%D%/window.c %D%/window.h
