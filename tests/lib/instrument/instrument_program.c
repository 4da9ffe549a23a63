/* SPDX-License-Identifier: MIT */
/* The program that tests/lib/instrument/instrument.sh compiles with
 * -finstrument-functions and records. Each first argument selects a way of
 * entering and leaving functions. */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define CALLED __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))

extern char **environ;
static jmp_buf back;
static volatile int sink;
static volatile sig_atomic_t handled;
static char **arguments;

CALLED void leaf(int n)
{
	sink += n;
}

CALLED int middle(int n)
{
	leaf(n);
	leaf(n + 1);
	return sink;
}

CALLED void after(void)
{
	sink++;
}

CALLED int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

PLAIN static void plain(void)
{
	middle(1);
	sink += fib(15);
	after();
}

/* A longjmp over four functions, five times from the same place. */
CALLED void jump(int n)
{
	if (n == 0)
		longjmp(back, 1);
	jump(n - 1);
	sink++;
}

PLAIN static void longjumps(void)
{
	for (volatile int i = 0; i < 5; i++)
		if (setjmp(back) == 0)
			jump(3);
	after();
}

/* Jumps into the middle of a recursion, which then continues. */
CALLED int climb(int n)
{
	if (n == 6)
		longjmp(back, 1);
	if (n == 3 && setjmp(back) != 0) {
		leaf(n);
		return n;
	}
	return climb(n + 1) + 1;
}

PLAIN static void into(void)
{
	sink += climb(0);
	after();
}

/* Hooks of functions without a value are tail-called. */
void pong(int n);

CALLED void ping(int n)
{
	if (n > 0)
		pong(n - 1);
}

CALLED void pong(int n)
{
	if (n > 0)
		ping(n - 1);
}

PLAIN static void tails(void)
{
	ping(10);
	after();
}

CALLED int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
	return a + b + c + d + e + f + g + h;
}

/* Arguments on the stack may be popped late: within `pops` the stack pointer
 * rises between hooks. */
INLINED int inner(int n)
{
	return many(n, 1, 2, 3, 4, 5, 6, 7);
}

INLINED int outer(int n)
{
	n += many(n, 1, 2, 3, 4, 5, 6, n);
	n += inner(n);
	leaf(n);
	return n + inner(n);
}

CALLED int pops(int n)
{
	n += many(n, 1, 2, 3, 4, 5, 6, n + 1);
	n += outer(n);
	leaf(n);
	return n + outer(n + 1);
}

PLAIN static void arguments_on_stack(void)
{
	for (int i = 0; i < 10; i++)
		sink += pops(i);
	after();
}

INLINED void fill(char *bytes, size_t size)
{
	memset(bytes, 1, size);
	leaf(bytes[0]);
}

CALLED int allocates(int n)
{
	for (int i = 1; i <= 3; i++)
		fill(alloca((size_t)(40 * (n + 1) * i)),
			(size_t)(40 * (n + 1) * i));
	return n == 0 ? 0 : allocates(n - 1) + 1;
}

PLAIN static void stack_memory(void)
{
	sink += allocates(5);
	after();
}

CALLED int down(int n)
{
	return n == 0 ? 0 : down(n - 1) + 1;
}

CALLED void exits(int n)
{
	if (n == 0)
		pthread_exit(NULL);
	exits(n - 1);
	sink++;
}

CALLED void waits(int n)
{
	if (n == 0)
		for (;;)
			pause();
	waits(n - 1);
	sink++;
}

CALLED void works(void)
{
	for (int i = 0; i < 1000; i++)
		leaf(i);
}

static void *thread_exits(void *argument)
{
	leaf(1);
	exits(2);
	return argument;
}

static void *thread_waits(void *argument)
{
	waits(2);
	return argument;
}

static void *thread_works(void *argument)
{
	works();
	return argument;
}

PLAIN static void join(void *(*function)(void *), int count, int cancel)
{
	pthread_t threads[8];

	for (int i = 0; i < count; i++)
		(void)pthread_create(&threads[i], NULL, function, NULL);
	for (int i = 0; i < count; i++) {
		if (cancel) {
			(void)usleep(20000);
			(void)pthread_cancel(threads[i]);
		}
		(void)pthread_join(threads[i], NULL);
	}
	after();
}

CALLED void handler(int number)
{
	handled++;
	leaf(number);
}

CALLED void jumping_handler(int number)
{
	leaf(number);
	siglongjmp(back, 1);
}

PLAIN static void on_signal(void (*function)(int), int flags)
{
	struct sigaction action = {.sa_handler = function, .sa_flags = flags};

	(void)sigaction(SIGUSR1, &action, NULL);
	(void)sigaction(SIGALRM, &action, NULL);
}

CALLED void raises(int n)
{
	leaf(n);
	(void)raise(SIGUSR1);
	leaf(n);
}

PLAIN static void alternate(char *memory)
{
	stack_t stack = {.ss_sp = memory, .ss_size = (size_t)SIGSTKSZ * 4};

	(void)sigaltstack(&stack, NULL);
}

PLAIN static void signals(int flags, char *memory)
{
	if (memory != NULL)
		alternate(memory);
	on_signal(handler, flags);
	for (int i = 0; i < 100; i++)
		raises(i);
	after();
}

PLAIN static void signals_on_own_stack(void)
{
	char memory[SIGSTKSZ * 4];

	signals(SA_ONSTACK, memory);
}

PLAIN static void signals_that_jump(int flags)
{
	alternate(malloc((size_t)SIGSTKSZ * 4));
	on_signal(jumping_handler, flags);
	for (volatile int i = 0; i < 100; i++)
		if (sigsetjmp(back, 1) == 0)
			raises(i);
	after();
}

PLAIN static void tick(int microseconds)
{
	struct itimerval timer = {
		{0, microseconds}, {microseconds > 0, microseconds}};

	timer.it_value.tv_sec = 0;
	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

/* A timer interrupts hooks at any point. Prints the number of interrupts. */
PLAIN static void hammer(void (*function)(int))
{
	int rounds = arguments[2] == NULL ? 300 : atoi(arguments[2]);

	on_signal(function, 0);
	if (sigsetjmp(back, 1) == 0)
		tick(50);
	for (volatile int i = 0; i < rounds; i++)
		sink += fib(12);
	tick(0);
	after();
	printf("%d\n", (int)handled);
}

/* Each jump leaves a hook at an arbitrary point. */
CALLED void leaping_handler(int number)
{
	handled++;
	sink += number;
	if (handled % 4 == 0)
		siglongjmp(back, 1);
}

PLAIN static void leap(void)
{
	static volatile int rounds;

	on_signal(leaping_handler, 0);
	(void)sigsetjmp(back, 1);
	tick(70);
	for (; rounds < 300; rounds++)
		sink += fib(12);
	tick(0);
	after();
	printf("%d\n", (int)handled);
}

CALLED void child(void)
{
	for (int i = 0; i < 7; i++)
		leaf(i);
}

PLAIN static void forks(void)
{
	int status;

	middle(1);
	if (fork() == 0) {
		child();
		exit(0);
	}
	(void)wait(&status);
	after();
}

CALLED void becomes(void)
{
	(void)execl("/proc/self/exe", arguments[0], "plain", NULL);
	_exit(127);
}

PLAIN static void vforks(void)
{
	int status;

	if (vfork() == 0)
		becomes();
	(void)wait(&status);
	after();
}

PLAIN static void spawns(void)
{
	char *const command[] = {arguments[0], (char *)"plain", NULL};
	int status;
	pid_t pid;

	(void)posix_spawn(&pid, "/proc/self/exe", NULL, NULL, command, environ);
	(void)wait(&status);
	after();
}

/* Opens each library this many times, one after the other. */
PLAIN static void libraries(void)
{
	for (char **path = arguments + 2; *path != NULL; path++) {
		void *library = dlopen(*path, RTLD_NOW);
		void (*call)(void);

		if (library == NULL)
			exit(3);
		*(void **)(void *)&call = dlsym(library, "library_call");
		call();
		call();
		(void)dlclose(library);
	}
	after();
}

static ucontext_t home;
static ucontext_t away;

CALLED void yields(void)
{
	(void)swapcontext(&away, &home);
	sink++;
}

CALLED void coroutine(void)
{
	for (;;) {
		leaf(1);
		yields();
	}
}

CALLED void resumes(void)
{
	(void)swapcontext(&home, &away);
	sink++;
}

PLAIN static void coroutines(void)
{
	(void)getcontext(&away);
	away.uc_stack.ss_size = 1 << 16;
	away.uc_stack.ss_sp = malloc(1 << 16);
	makecontext(&away, coroutine, 0);
	for (int i = 0; i < 10; i++) {
		resumes();
		middle(1);
	}
	after();
}

__attribute__((constructor)) CALLED void comes_before(void)
{
	sink++;
}

__attribute__((destructor)) CALLED void comes_after(void)
{
	sink++;
}

PLAIN static int run(const char *name)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"plain", plain}, {"longjmp", longjumps}, {"into", into},
		{"tail", tails}, {"pops", arguments_on_stack},
		{"alloca", stack_memory}, {"fork", forks}, {"vfork", vforks},
		{"spawn", spawns}, {"exec", becomes}, {"libraries", libraries},
		{"onown", signals_on_own_stack}, {"leap", leap},
		{"coroutines", coroutines}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, name) == 0) {
			cases[i].run();
			return 0;
		}
	}
	if (strcmp(name, "deep") == 0)
		sink += down(50000);
	else if (strcmp(name, "exits") == 0)
		join(thread_exits, 3, 0);
	else if (strcmp(name, "cancel") == 0)
		join(thread_waits, 3, 1);
	else if (strcmp(name, "threads") == 0)
		join(thread_works, 8, 0);
	else if (strcmp(name, "signal") == 0)
		signals(0, NULL);
	else if (strcmp(name, "altstack") == 0)
		signals(SA_ONSTACK, malloc((size_t)SIGSTKSZ * 4));
	else if (strcmp(name, "jump") == 0)
		signals_that_jump(0);
	else if (strcmp(name, "altjump") == 0)
		signals_that_jump(SA_ONSTACK);
	else if (strcmp(name, "hammer") == 0)
		hammer(handler);
	else
		return 2;
	return 0;
}

int main(int argc, char **argv)
{
	arguments = argv;
	return argc < 2 ? 2 : run(argv[1]);
}
