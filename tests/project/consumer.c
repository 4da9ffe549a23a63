/* SPDX-License-Identifier: MIT */
/* A minimal recorded C program; built against the installed library. */
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
