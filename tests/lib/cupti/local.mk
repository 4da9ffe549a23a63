# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_cupti_graph \
	%D%/test_cupti_table
tests_lib_cupti_test_cupti_graph_LDADD = libinject.la libbase.la $(check_LIBS)
tests_lib_cupti_test_cupti_table_LDADD = libinject.la libbase.la $(check_LIBS)
shell_tests += \
	%D%/cupti_chrome.sh \
	%D%/cupti_dry.sh \
	%D%/cupti_fake.sh \
	%D%/cupti_real.sh

# Stand-ins for CUDA and CUPTI, as far as the recorder uses them. -rpath makes
# libtool build loadable libraries, though they are not installed.
fake_flags = $(AM_LDFLAGS) -rpath $(abs_builddir)/tests/lib/cupti/fake
check_LTLIBRARIES += tests/lib/cupti/fake/libcuda.la tests/lib/cupti/fake/libcupti.la
tests_lib_cupti_fake_libcuda_la_SOURCES = \
	tests/lib/cupti/fake/calls.c \
	tests/lib/cupti/fake/cuda.c tests/lib/cupti/fake/cuda.h \
	tests/lib/cupti/fake/cuda_clock.c tests/lib/cupti/fake/cuda_clock.h \
	tests/lib/cupti/fake/cuda_work.c tests/lib/cupti/fake/cuda_work.h \
	tests/lib/cupti/fake/fake.h tests/lib/cupti/fake/fake_abi.h tests/lib/cupti/fake/fake_link.h \
	tests/lib/cupti/fake/graph.c tests/lib/cupti/fake/graph.h \
	tests/lib/cupti/fake/truth.c tests/lib/cupti/fake/truth.h
tests_lib_cupti_fake_libcuda_la_LDFLAGS = $(fake_flags) -version-info 1:0:0
tests_lib_cupti_fake_libcuda_la_LIBADD = -lpthread -ldl
tests_lib_cupti_fake_libcupti_la_SOURCES = \
	tests/lib/cupti/fake/cupti.c tests/lib/cupti/fake/cupti.h \
	tests/lib/cupti/fake/cupti_activity.c \
	tests/lib/cupti/fake/cupti_buffer.c tests/lib/cupti/fake/cupti_buffer.h \
	tests/lib/cupti/fake/cupti_names.c tests/lib/cupti/fake/cupti_names.h \
	tests/lib/cupti/fake/cupti_record.c tests/lib/cupti/fake/cupti_record.h
tests_lib_cupti_fake_libcupti_la_LDFLAGS = $(fake_flags) -version-info 13:0:0
tests_lib_cupti_fake_libcupti_la_LIBADD = -lpthread -ldl

check_PROGRAMS += tests/lib/cupti/cupti_check tests/lib/cupti/cupti_oracle tests/lib/cupti/cupti_program
tests_lib_cupti_cupti_check_SOURCES = tests/lib/cupti/cupti_check.c tests/lib/cupti/cupti_truth.c tests/lib/cupti/cupti_truth.h
tests_lib_cupti_cupti_check_LDADD = libcore.la $(JANSSON_LIBS)
tests_lib_cupti_cupti_program_SOURCES = tests/lib/cupti/cupti_program.c \
	tests/lib/cupti/cupti_range.c tests/lib/cupti/cupti_range.h \
	tests/lib/cupti/fake/fake.h tests/support/sanitized_fork.c
tests_lib_cupti_cupti_program_LDADD = libctprof.la -lpthread -ldl
tests_lib_cupti_cupti_oracle_SOURCES = tests/lib/cupti/cupti_oracle.c tests/lib/cupti/fake/fake_abi.h \
	tests/lib/cupti/fake/cupti_names.c tests/lib/cupti/fake/cupti_names.h \
	tests/lib/cupti/fake/cupti_record.c tests/lib/cupti/fake/cupti_record.h
# Not the objects of the library.
tests_lib_cupti_cupti_oracle_CPPFLAGS = $(AM_CPPFLAGS)
tests_lib_cupti_cupti_oracle_LDADD = -lpthread -ldl

EXTRA_DIST += %D%/cupti_abi_check.c %D%/cupti_dry.py
