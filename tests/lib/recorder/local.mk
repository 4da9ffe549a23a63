# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_device_log \
	%D%/test_function_filter \
	%D%/test_record \
	%D%/test_record_closed \
	%D%/test_record_coarse \
	%D%/test_record_disk \
	%D%/test_record_fork \
	%D%/test_record_life \
	%D%/test_record_load \
	%D%/test_record_process \
	%D%/test_record_site \
	%D%/test_record_thread \
	%D%/test_record_wild
tests_lib_recorder_test_record_LDADD = $(record_LDADD)
tests_lib_recorder_test_record_closed_LDADD = $(record_LDADD)
tests_lib_recorder_test_record_coarse_LDADD = $(record_LDADD)
tests_lib_recorder_test_record_disk_LDADD = $(record_LDADD)
tests_lib_recorder_test_record_fork_LDADD = $(record_LDADD)
tests_lib_recorder_test_record_life_LDADD = $(record_LDADD)
tests_lib_recorder_test_record_load_LDADD = $(record_LDADD) $(MSGPACK_LIBS) $(ZLIB_LIBS)
tests_lib_recorder_test_record_process_LDADD = $(record_LDADD)
tests_lib_recorder_test_record_site_LDADD = $(record_LDADD)
tests_lib_recorder_test_record_thread_LDADD = $(record_LDADD)
tests_lib_recorder_test_record_wild_LDADD = $(record_LDADD)
shell_tests += \
	%D%/deaths.sh \
	%D%/forward.sh \
	%D%/kill.sh \
	%D%/last.sh \
	%D%/lifecycle.sh \
	%D%/little_memory.sh \
	%D%/no_hooks.sh \
	%D%/oracle.sh \
	%D%/setuid.sh \
	%D%/stray_stores.sh \
	%D%/threads.sh
test_programs += \
	%D%/wild_program \
	%D%/last_program \
	%D%/lifecycle_program \
	%D%/record_everything \
	%D%/record_devices \
	%D%/threads_program
tests_lib_recorder_wild_program_SOURCES = %D%/wild_program.c tests/support/sanitized_fork.c
tests_lib_recorder_wild_program_LDADD = libctprof.la -lpthread
tests_lib_recorder_last_program_LDADD = libctprof.la -lpthread
tests_lib_recorder_lifecycle_program_LDADD = libctprof.la -lpthread
tests_lib_recorder_record_everything_LDADD = libctprof.la -lpthread
tests_lib_recorder_threads_program_LDADD = libctprof.la -lpthread
tests_lib_recorder_record_devices_LDADD = libbase.la libctprof.la
tests_libcases_la_SOURCES += \
	%D%/record_case.c %D%/record_case.h
EXTRA_DIST += \
	%D%/forward_program.c \
	%D%/forward_tool.c \
	%D%/setuid_program.c \
	%D%/setuid_tool.c
