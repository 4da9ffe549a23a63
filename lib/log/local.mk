# SPDX-License-Identifier: MIT
libbase_la_SOURCES += \
	%D%/activity_name.c %D%/activity_name.h \
	%D%/deflate.h \
	%D%/deflate_open.c %D%/deflate_open.h \
	%D%/deflate_ours.c \
	%D%/huffman.c %D%/huffman.h \
	%D%/huffman_block.c %D%/huffman_block.h \
	%D%/huffman_code.c %D%/huffman_code.h \
	%D%/log.h \
	%D%/log_activities.c %D%/log_activities.h \
	%D%/log_block.c %D%/log_block.h \
	%D%/log_column.c %D%/log_column.h \
	%D%/log_row.c %D%/log_row.h \
	%D%/log_write.c %D%/log_write.h \
	%D%/msgpack_out.h \
	%D%/repeats.c %D%/repeats.h \
	%D%/unpack.c %D%/unpack.h
if HAVE_LIBDEFLATE
libbase_la_SOURCES += %D%/deflate_libdeflate.c
else
libbase_la_SOURCES += %D%/deflate_zlib.c
endif
EXTRA_DIST += %D%/FORMAT.md
