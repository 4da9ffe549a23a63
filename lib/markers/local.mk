# SPDX-License-Identifier: MIT
# The library that the loaders of NVTX, ITT and CUDA load into programs, on
# behalf of `ctprof record`.
lib_LTLIBRARIES += libctprof-inject.la
libctprof_inject_la_SOURCES = \
	%D%/inject.c %D%/inject.h \
	%D%/itt.c \
	%D%/nvtx.c \
	lib/recorder/itt_abi.h \
	lib/recorder/nvtx_abi.h \
	lib/base/buffer.c lib/base/buffer.h \
	lib/base/memory.c lib/base/memory.h \
	lib/base/stable_hash.c lib/base/stable_hash.h \
	lib/base/utf8.c lib/base/utf8.h \
	lib/log/activity_name.c lib/log/activity_name.h
libctprof_inject_la_LIBADD = libinject.la libctprof.la -lpthread
libctprof_inject_la_LDFLAGS = $(AM_LDFLAGS) $(origin_rpath) \
	-version-info 0:0:0 \
	-Wl,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/%D%/inject.map
EXTRA_libctprof_inject_la_DEPENDENCIES = %D%/inject.map
EXTRA_DIST += %D%/inject.map
