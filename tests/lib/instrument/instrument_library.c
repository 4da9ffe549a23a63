/* SPDX-License-Identifier: MIT */
/* A library that tests/lib/instrument/instrument_program.c opens and closes; one file is made
 * into several, with a function of another name each. */
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
