# SPDX-License-Identifier: MIT
include_HEADERS = lib/ctprof.h lib/ctprof_inline.h
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = lib/ctprof.pc lib/ctprof-instrument.pc
cmakedir = $(libdir)/cmake/ctprof
cmake_DATA = lib/cmake/ctprof-config.cmake \
	lib/cmake/ctprof-config-version.cmake
EXTRA_DIST += lib/ctprof.map

# Libraries that find each other in the folder they are in.
origin_rpath =
if STATIC_TOOLS
origin_rpath += -Wl,-rpath,'$$ORIGIN' -Wl,--enable-new-dtags
endif

# The base of the recorder and the tools.
noinst_LTLIBRARIES += libbase.la
libbase_la_SOURCES =
libbase_la_LIBADD = $(ZLIB_LIBS) $(LIBDEFLATE_LIBS)

# The base of the tools: reading logs, and analysis.
noinst_LTLIBRARIES += libcore.la
libcore_la_SOURCES =
libcore_la_LIBADD = libbase.la $(CXX_LIBS) -lm

include lib/base/local.mk
include lib/log/local.mk
include lib/pack/local.mk
include lib/recorder/local.mk
include lib/instrument/local.mk
include lib/markers/local.mk
include lib/cupti/local.mk
include lib/compare/local.mk
include lib/digest/local.mk
include lib/extsort/local.mk
include lib/gaps/local.mk
include lib/json/local.mk
include lib/log_read/local.mk
include lib/names/local.mk
include lib/operators/local.mk
include lib/phases/local.mk
include lib/profile/local.mk
include lib/ranks/local.mk
include lib/recover/local.mk
include lib/roofline/local.mk
include lib/summary/local.mk
include lib/symbols/local.mk
include lib/trace/local.mk
include lib/transform/local.mk

# A recorder must not record itself, regardless of the user's flags.
$(libbase_la_OBJECTS) $(libpack_la_OBJECTS) $(librecorder_la_OBJECTS) \
$(libinstrument_la_OBJECTS) $(libctprof_instrument_la_OBJECTS) \
$(libinject_la_OBJECTS) $(libctprof_inject_la_OBJECTS): \
	override CFLAGS := $(filter-out -finstrument-functions%,$(CFLAGS))
