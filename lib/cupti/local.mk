# SPDX-License-Identifier: MIT
# In libctprof-inject. The tables are a library of their own for the tests.
noinst_LTLIBRARIES += libinject.la
libinject_la_SOURCES = \
	%D%/cupti_graph.c %D%/cupti_graph.h \
	%D%/cupti_table.c %D%/cupti_table.h
libctprof_inject_la_SOURCES += \
	%D%/cupti.c \
	%D%/cupti_buffers.c %D%/cupti_buffers.h \
	%D%/cupti_callback.c %D%/cupti_callback.h \
	%D%/cupti_abi.h \
	%D%/cupti_device.c %D%/cupti_device.h \
	%D%/cupti_load.c %D%/cupti_load.h \
	%D%/cupti_record.c %D%/cupti_record.h \
	%D%/cupti_session.c %D%/cupti_session.h
