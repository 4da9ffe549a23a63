# SPDX-License-Identifier: MIT
# In libctprof-inject. The tables are a library of their own for the tests.
noinst_LTLIBRARIES += libinject.la
libinject_la_SOURCES = \
	%D%/gpu_graph.c %D%/gpu_graph.h \
	%D%/gpu_table.c %D%/gpu_table.h
libctprof_inject_la_SOURCES += \
	%D%/gpu.c %D%/gpu.h \
	%D%/gpu_buffers.c %D%/gpu_buffers.h \
	%D%/gpu_callback.c %D%/gpu_callback.h \
	%D%/gpu_cupti.h \
	%D%/gpu_describe.c %D%/gpu_describe.h \
	%D%/gpu_device.c %D%/gpu_device.h \
	%D%/gpu_drain.c %D%/gpu_drain.h \
	%D%/gpu_load.c %D%/gpu_load.h \
	%D%/gpu_record.c %D%/gpu_record.h \
	%D%/gpu_session.c %D%/gpu_session.h \
	%D%/gpu_subscribe.c %D%/gpu_subscribe.h
