# SPDX-License-Identifier: MIT
# The libraries that `ctprof record` preloads into programs compiled with
# -finstrument-functions. Both stay in memory once they are loaded: threads have
# state in them, and the hooks may be called until the process ends.
lib_LTLIBRARIES += libctprof-instrument.la
noinst_LTLIBRARIES += libinstrument.la
libinstrument_la_SOURCES = \
	%D%/functions.c %D%/functions.h \
	%D%/shadow.c %D%/shadow.h
libctprof_instrument_la_SOURCES = \
	%D%/instrument.c \
	%D%/instrument_thread.c %D%/instrument_thread.h

libctprof_instrument_la_LIBADD = libinstrument.la libctprof.la -lpthread
libctprof_instrument_la_LDFLAGS = $(AM_LDFLAGS) $(origin_rpath) \
	-version-info 0:0:0 \
	-Wl,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/%D%/instrument.map
EXTRA_libctprof_instrument_la_DEPENDENCIES = %D%/instrument.map
EXTRA_DIST += %D%/instrument.map
