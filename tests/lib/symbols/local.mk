# SPDX-License-Identifier: MIT
if HAVE_LIBDW
c_tests += \
	%D%/test_symbolize \
	%D%/test_symbols
endif
shell_tests += \
	%D%/symbols.sh
EXTRA_DIST += \
	%D%/symbols.py \
	%D%/symbols_program.cc
