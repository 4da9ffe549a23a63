/* SPDX-License-Identifier: MIT */
/*
 * Records the events of its input, with the input's own times:
 *
 *	T n          as thread n from here on
 *	B ns name    a range begins
 *	E ns         the innermost one ends
 *
 * Each thread n is a thread of this process, so that it has its own stack; they
 * take turns in the order of the input.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof.h"

#define THREADS 8
#define NAME_BYTES 256

struct line {
	char what;
	int64_t time_ns;
	char name[NAME_BYTES];
};

static struct line *lines[THREADS];
static size_t counts[THREADS];
static size_t rooms[THREADS];

static void keep(int thread, struct line line)
{
	if (counts[thread] == rooms[thread]) {
		rooms[thread] = rooms[thread] == 0 ? 64 : 2 * rooms[thread];
		lines[thread] =
			realloc(lines[thread], rooms[thread] * sizeof(line));
		if (lines[thread] == NULL)
			abort();
	}
	lines[thread][counts[thread]++] = line;
}

static void *play(void *argument)
{
	int thread = *(int *)argument;

	for (size_t i = 0; i < counts[thread]; i++) {
		const struct line *line = &lines[thread][i];

		if (line->what == 'E')
			ctp_end_at(line->time_ns);
		else
			ctp_begin_at(ctp_site_intern(line->name, "oracle.c",
					     (uint32_t)strlen(line->name)),
				line->time_ns);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];
	struct line line;
	int thread = 0;

	ctp_thread_name("oracle"); /* a log, even an empty one */
	while (scanf(" %c", &line.what) == 1) {
		if (line.what == 'T') {
			if (scanf("%d", &thread) != 1 || thread < 0 ||
				thread >= THREADS)
				return 2;
			continue;
		}
		line.name[0] = '\0';
		if (scanf("%" SCNd64, &line.time_ns) != 1 ||
			(line.what == 'B' && scanf("%255s", line.name) != 1))
			return 2;
		keep(thread, line);
	}
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, play, &numbers[i]) != 0)
			return 2;
	}
	for (int i = 0; i < THREADS; i++) {
		(void)pthread_join(threads[i], NULL);
		free(lines[i]);
	}
	return ctp_stop() == CTP_OK ? 0 : 2;
}
