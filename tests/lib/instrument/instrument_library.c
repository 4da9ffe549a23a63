/* SPDX-License-Identifier: MIT */
/* A library that tests/lib/instrument/instrument_program.c opens and closes;
 * the file is compiled several times, with a different function name each
 * time. */
void library_call(void);
void FUNCTION(void);

static volatile int sink;

__attribute__((noinline)) void FUNCTION(void)
{
	sink++;
}

__attribute__((no_instrument_function)) void library_call(void)
{
	FUNCTION();
}
