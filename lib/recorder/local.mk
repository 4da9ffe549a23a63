# SPDX-License-Identifier: MIT
# libctprof: the recorder, which goes into the traced program.
noinst_LTLIBRARIES += librecorder.la
librecorder_la_LIBADD = libpack.la
librecorder_la_SOURCES = \
	%D%/arena.c %D%/arena.h \
	%D%/device_link.c %D%/device_link.h \
	%D%/device_load.c %D%/device_load.h \
	%D%/forward.c %D%/forward.h \
	%D%/forward_itt.c \
	%D%/forward_nvtx.c \
	%D%/dump_signal.c %D%/dump_signal.h \
	%D%/exit_watch.c %D%/exit_watch.h \
	%D%/function_filter.c %D%/function_filter.h \
	%D%/instrument_abi.h \
	%D%/instrument_link.c \
	%D%/itt_abi.h \
	%D%/nvtx_abi.h \
	%D%/profiler_step.c \
	%D%/record.c %D%/record.h \
	%D%/record_args.c %D%/record_args.h \
	%D%/registry.c %D%/registry.h \
	%D%/session.c \
	%D%/session_state.c %D%/session_state.h \
	%D%/thread.c %D%/thread.h \
	%D%/thread_state.c %D%/thread_state.h \
	%D%/writer_thread.c %D%/writer_thread.h

# The rules of -version-info: code changed, +1 to the second number; calls
# added, +1 to first and third and 0 to the second; calls removed or changed,
# +1 to the first and 0 to the others. 0:0:0 until the first release.
lib_LTLIBRARIES += libctprof.la
libctprof_la_SOURCES =
libctprof_la_LIBADD = librecorder.la -lpthread
# A program may dlclose() a library linked with us: threads that end later, and
# signals, still need our code.
libctprof_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -Wl,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/lib/ctprof.map
EXTRA_libctprof_la_DEPENDENCIES = lib/ctprof.map
