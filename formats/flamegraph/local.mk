# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/flame_files.h \
	%D%/flame_frame.c %D%/flame_frame.h \
	%D%/flamegraph.c %D%/flamegraph.h \
	%D%/folded.c

# The style sheet and scripts of flame graphs.
nodist_libformats_la_SOURCES = %D%/flame_files.c
%D%/flame_files.c: formats/embed.sh %D%/flame.css %D%/flame_fit.js %D%/flame.js
	$(call embed,flamegraph/flame_files.h)
CLEANFILES += %D%/flame_files.c
EXTRA_DIST += %D%/flame.css %D%/flame_fit.js %D%/flame.js
