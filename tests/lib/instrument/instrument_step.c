/* SPDX-License-Identifier: MIT */
/*
 * A program that tests/lib/instrument/instrument.sh compiles with
 * -finstrument-functions and records. In turn, a handler runs after each
 * instruction of a call, including those of both hooks, until all have had one;
 * with an argument, it jumps out. Prints the number of calls.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

#define PLAIN __attribute__((no_instrument_function))
#define CALLED __attribute__((noinline))

/* The processor's: a signal after every instruction. */
#define TRAP_FLAG 0x100

static jmp_buf back;
static volatile int sink;
static volatile int left;
static int jumps;

CALLED void leaf(int n)
{
	sink += n;
}

CALLED void handler(int n)
{
	leaf(n);
}

CALLED void after(void)
{
	sink++;
}

PLAIN static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)info;
	if (--left > 0)
		return;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	handler(number);
	if (jumps)
		siglongjmp(back, 1);
}

PLAIN static void trap(int flag)
{
	__builtin_ia32_writeeflags_u64(
		(__builtin_ia32_readeflags_u64() & ~TRAP_FLAG) | flag);
}

/* Nothing may be called for the first time while every instruction traps:
 * signals are blocked then, and the kernel would end the program. */
CALLED int steps(void)
{
	volatile int count = 0;

	handler(0);
	do {
		left = ++count;
		if (sigsetjmp(back, 1) == 0) {
			trap(TRAP_FLAG);
			leaf(1);
			trap(0);
		}
		after();
	} while (left <= 0);
	return count;
}

int main(int argc, char **argv)
{
	struct sigaction action = {
		.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

	(void)argv;
	jumps = argc > 1;
	if (sigaction(SIGTRAP, &action, NULL) != 0)
		return 1;
	printf("%d\n", steps());
	return 0;
}
