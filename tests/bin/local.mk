# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/cli.sh \
	%D%/no_recorder.sh
test_programs += \
	%D%/cli_program
tests_bin_cli_program_LDADD = libctprof.la -lpthread
