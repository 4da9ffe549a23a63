# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/page.c %D%/page.h \
	%D%/page_compile.c \
	%D%/page_diff.c %D%/page_diff.h \
	%D%/page_findings.c \
	%D%/page_functions.c \
	%D%/page_gpu.c \
	%D%/page_hash.c %D%/page_hash.h \
	%D%/page_memory.c \
	%D%/page_part.c %D%/page_part.h \
	%D%/page_ranks.c \
	%D%/page_request.c %D%/page_request.h \
	%D%/page_slices.c \
	%D%/page_source.c %D%/page_source.h \
	%D%/page_sum.c \
	%D%/page_tracks.c %D%/page_tracks.h

# Template of the page for `ctprof report`.
page_files = \
	%D%/page.css \
	%D%/page_flame.css \
	%D%/page_table.css \
	%D%/page_timeline.css \
	%D%/page.html \
	%D%/page.js \
	%D%/page_compile.js \
	%D%/page_device.js \
	%D%/page_diff.js \
	%D%/page_findings.js \
	%D%/page_flame.js \
	%D%/page_format.js \
	%D%/page_functions.js \
	%D%/page_memory.js \
	%D%/page_lanes.js \
	%D%/page_lanes_range.js \
	%D%/page_operators.js \
	%D%/page_ranks.js \
	%D%/page_sandwich.js \
	%D%/page_source.js \
	%D%/page_summary.js \
	%D%/page_table.js \
	%D%/page_timeline.js \
	%D%/page_timeline_draw.js \
	%D%/page_timeline_input.js \
	%D%/page_view.js
nodist_libprogram_la_SOURCES = %D%/page_files.c
%D%/page_files.c: formats/embed.sh $(page_files)
	$(call embed,report/page.h)
CLEANFILES += %D%/page_files.c
EXTRA_DIST += $(page_files)
