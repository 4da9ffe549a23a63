# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_symbolize \
	%D%/test_symbols
shell_tests += \
	%D%/symbols.sh
EXTRA_DIST += \
	%D%/elf_seeds.py \
	%D%/symbols.py \
	%D%/symbols_program.cc
