/* SPDX-License-Identifier: MIT */
/*
 * Runs one recorder once and prints its costs as one JSON object; bench.sh runs
 * the programs in turn and bench_table.py makes the table.
 *
 *	bench_NAME loop|graph PAIRS LOG
 *
 * CPU times, not wall times: the machine may be shared. Only the measuring
 * thread is pinned, and only after the recorder has started, so that a
 * background thread may run anywhere. The process's time is taken from before
 * the start to after the stop, and so includes all data written to the file.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench_peer.h"

struct reading {
	int64_t thread_ns;
	int64_t process_ns;
	int64_t faults;   /* of this thread */
	int64_t peak_kib; /* of the process, so far */
};

static int64_t cpu_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		return 0;
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct reading read_costs(void)
{
	struct rusage thread = {0};
	struct rusage process = {0};

	getrusage(RUSAGE_THREAD, &thread);
	getrusage(RUSAGE_SELF, &process);
	return (struct reading){
		.thread_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID),
		.process_ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID),
		.faults = thread.ru_minflt + thread.ru_majflt,
		.peak_kib = process.ru_maxrss,
	};
}

/* Pins the thread to its current processor; a failure costs only precision. */
static void pin(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static uint64_t graph_result;

static void record(bool graph, uint64_t pairs)
{
	if (graph)
		graph_result += peer_graph(pairs);
	else
		peer_loop(pairs);
}

/* The first ranges of a thread and the first turn through the buffers. */
static uint64_t warm_up_pairs(uint64_t pairs)
{
	return pairs / 10;
}

int main(int argc, char **argv)
{
	struct reading first;
	struct reading warm;
	struct reading done;
	struct reading last;
	uint64_t pairs;
	bool graph;

	if (argc != 4) {
		fputs("usage: bench_NAME loop|graph PAIRS LOG\n", stderr);
		return 2;
	}
	graph = strcmp(argv[1], "graph") == 0;
	pairs = strtoull(argv[2], NULL, 10);
	first = read_costs();
	if (!peer.start(argv[3])) {
		printf("{\"peer\": \"%s\", \"skipped\": \"%s\"}\n", peer.name,
			peer.why());
		return 1;
	}
	pin();
	record(graph, warm_up_pairs(pairs));
	warm = read_costs();
	record(graph, pairs);
	done = read_costs();
	peer.stop();
	last = read_costs();
	printf("{\"peer\": \"%s\", \"work\": \"%s\", \"pairs\": %" PRIu64
	       ", \"all_pairs\": %" PRIu64 ", \"thread_ns\": %" PRId64
	       ", \"process_ns\": %" PRId64 ", \"faults\": %" PRId64
	       ", \"growth_kib\": %" PRId64 ", \"result\": %" PRIu64 "}\n",
		peer.name, graph ? "graph" : "loop", pairs,
		pairs + warm_up_pairs(pairs), done.thread_ns - warm.thread_ns,
		last.process_ns - first.process_ns, done.faults - warm.faults,
		last.peak_kib - first.peak_kib, graph_result);
	return 0;
}
