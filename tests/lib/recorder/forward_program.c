/* SPDX-License-Identifier: MIT */
/* Records ranges with libctprof, for forward.sh; opens them in every way. */
#include <ctprof.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS 200
#define DEEP 1500
#define NUMBERED 60000

static void leaf(int number)
{
	CTP_FUNCTION();
	ctp_arg_int("number", number);
}

static void down(int depth)
{
	CTP_SCOPE("down");
	if (depth > 1)
		down(depth - 1);
}

static void plain(void)
{
	CTP_STATIC_SITE(outer, "outer");
	CTP_STATIC_SITE(op, "op");
	char *name = strdup("made");
	struct ctp_site made = {name, NULL, 0, 0};

	(void)ctp_begin_seq(&outer, 1);
	for (int i = 0; i < 3; i++)
		leaf(i);
	(void)ctp_begin_seq(&op, 5);
	leaf(3);
	ctp_end();
	(void)ctp_begin_seq(&op, -6);
	ctp_end();
	ctp_begin(&made);
	ctp_end();
	memset(name, 'x', 4); /* it was copied at its first use */
	ctp_begin(&made);
	ctp_end();
	free(name);
	ctp_end();
	CTP_INSTANT("an instant");
	ctp_end(); /* of nothing */
	leaf(4);
}

static void deep(void)
{
	down(DEEP);
	leaf(0);
}

/* Each has a unique name. */
static void numbered(void)
{
	CTP_STATIC_SITE(op, "op");

	for (int i = 0; i < NUMBERED; i++) {
		(void)ctp_begin_seq(&op, i);
		ctp_end();
	}
}

static void *thread(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		CTP_SCOPE("in a thread");
		leaf(i);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t made[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&made[i], NULL, thread, NULL) != 0)
			exit(99);
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(made[i], NULL);
}

/* By the options, not the environment; only in the second recording. */
static void options(void)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.emit = CTP_EMIT_NONE;
	if (ctp_start(&options) != CTP_OK)
		exit(98);
	leaf(0);
	(void)ctp_stop();
	options.emit = CTP_EMIT_NVTX;
	options.out = "second.ctp";
	if (ctp_start(&options) != CTP_OK)
		exit(98);
	leaf(1);
	(void)ctp_stop();
	leaf(2);
}

/* A range is open when a recording ends, and another begins. */
static void across(void)
{
	CTP_STATIC_SITE(outer, "outer");
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = "second.ctp";
	ctp_begin(&outer);
	(void)ctp_stop();
	if (ctp_start(&options) != CTP_OK)
		exit(98);
	leaf(0);
	ctp_end(); /* of the first recording's */
	leaf(1);
}

/* A range ends in both processes; one after the other, for the order. */
static void forked(void)
{
	CTP_STATIC_SITE(outer, "outer");
	pid_t child;

	ctp_begin(&outer);
	leaf(0);
	child = fork();
	if (child != 0)
		(void)waitpid(child, NULL, 0);
	ctp_end();
	leaf(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"plain", plain}, {"deep", deep}, {"numbered", numbered},
		{"threads", threads}, {"options", options}, {"across", across},
		{"forked", forked}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc == 2 && strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	return 0;
}
