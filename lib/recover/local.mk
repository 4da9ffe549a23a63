# SPDX-License-Identifier: MIT
noinst_LTLIBRARIES += librecover.la
librecover_la_SOURCES = \
	%D%/compress.c %D%/compress.h \
	%D%/recover.c %D%/recover.h \
	%D%/recover_log.c %D%/recover_log.h \
	%D%/spool_file.c %D%/spool_file.h
librecover_la_LIBADD = libcore.la libpack.la
