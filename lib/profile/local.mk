# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/call_batch.c %D%/call_batch.h \
	%D%/call_workers.c %D%/call_workers.h \
	%D%/calls.c %D%/calls.h \
	%D%/device_calls.c %D%/device_calls.h \
	%D%/estimated_tree.c %D%/estimated_tree.h \
	%D%/flame_tree.c %D%/flame_tree.h \
	%D%/function_match.c %D%/function_match.h \
	%D%/profile.c %D%/profile.h \
	%D%/profile_events.c %D%/profile_events.h \
	%D%/profile_lines.c %D%/profile_lines.h \
	%D%/profile_memory.c %D%/profile_memory.h \
	%D%/profile_order.c \
	%D%/replay.c %D%/replay.h
