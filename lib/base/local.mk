# SPDX-License-Identifier: MIT
# The base of the recorder and of the tools.
libbase_la_SOURCES += \
	%D%/buffer.c %D%/buffer.h \
	%D%/clock.c %D%/clock.h \
	%D%/cursor.c %D%/cursor.h \
	%D%/environment.h \
	%D%/error.c %D%/error.h \
	%D%/file_id.c %D%/file_id.h \
	%D%/memory.c %D%/memory.h \
	%D%/stable_hash.c %D%/stable_hash.h \
	%D%/utf8.c %D%/utf8.h

# Only the tools use these.
libcore_la_SOURCES += \
	%D%/hash.c %D%/hash.h \
	%D%/index.c %D%/index.h \
	%D%/machine.c %D%/machine.h \
	%D%/packed.h \
	%D%/pipe.c %D%/pipe.h \
	%D%/saturate.h \
	%D%/search.h \
	%D%/strtab.c %D%/strtab.h \
	%D%/thread.c %D%/thread.h
