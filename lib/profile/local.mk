# SPDX-License-Identifier: MIT
libcore_la_SOURCES += \
	%D%/activity_kind.c %D%/activity_kind.h \
	%D%/flame_tree.c %D%/flame_tree.h \
	%D%/function_match.c %D%/function_match.h \
	%D%/profile.c %D%/profile.h \
	%D%/profile_device.c \
	%D%/profile_memory.c %D%/profile_memory.h \
	%D%/profile_order.c \
	%D%/profile_private.h \
	%D%/profile_tree.c \
	%D%/replay.c %D%/replay.h \
	%D%/replay_device.c \
	%D%/replay_nodes.c %D%/replay_nodes.h \
	%D%/replay_private.h
