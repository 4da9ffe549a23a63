# SPDX-License-Identifier: MIT
EXTRA_DIST += %D%/embed.sh

noinst_LTLIBRARIES += libformats.la
libformats_la_LIBADD = libcore.la $(ZLIB_LIBS) $(SQLITE_LIBS) -lpthread
libformats_la_SOURCES = \
	%D%/convert.c %D%/convert.h \
	%D%/format.c %D%/format.h \
	%D%/input_file.c %D%/input_file.h
include formats/callgrind/local.mk
include formats/chrome/local.mk
include formats/chrome_read/local.mk
include formats/compilers/local.mk
include formats/ctpart/local.mk
include formats/flamegraph/local.mk
include formats/gprof/local.mk
include formats/io/local.mk
include formats/json_repair/local.mk
include formats/log/local.mk
include formats/nvidia/local.mk
include formats/perfetto/local.mk
include formats/pprof/local.mk
include formats/profiles/local.mk
include formats/protobuf/local.mk
include formats/pstats/local.mk
include formats/speedscope/local.mk
include formats/sqlite/local.mk
include formats/table/local.mk
include formats/timeline/local.mk
include formats/torch_trace/local.mk
