# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_functions \
	%D%/test_shadow
tests_lib_instrument_test_functions_LDADD = libinstrument.la $(check_LIBS)
tests_lib_instrument_test_shadow_LDADD = libinstrument.la $(check_LIBS)
shell_tests += \
	%D%/instrument.sh \
	%D%/third_party.sh
EXTRA_DIST += \
	%D%/instrument_library.c \
	%D%/instrument_program.c \
	%D%/instrument_program.cc \
	%D%/instrument_step.c \
	%D%/third_party_counts.py \
	%D%/third_party
