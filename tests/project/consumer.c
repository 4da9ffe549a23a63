/* SPDX-License-Identifier: MIT */
/* What a C program needs to be recorded; built against what is installed. */
#include <ctprof.h>

static int work(int n)
{
	CTP_FUNCTION();
	ctp_arg_int("n", n);
	return n < 2 ? n : work(n - 1) + work(n - 2);
}

int main(void)
{
	CTP_SCOPE("consumer");
	return work(10) == 55 ? 0 : 1;
}
