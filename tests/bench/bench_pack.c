/* SPDX-License-Identifier: MIT */
/*
 * The speed limit of the recorder's background thread: packs ready-made chunks
 * into a log, on one core, and prints one JSON object.
 *
 *	bench_pack LOG [LEVEL]
 *
 * The events look like a compiler's: 500 functions with fixed callees, a tenth
 * of which are called every other time, up to 40 deep. Step durations jitter
 * (log-normal): half of them are below 55 ns, a tenth above 200 ns, and a few a
 * thousand times as long. Linked with the library's objects, since the packer
 * is not part of the interface.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "pack/chunk.h"
#include "base/clock.h"
#include "log/log_write.h"
#include "pack/pack.h"

#define FUNCTIONS 500
#define CALLEES 4
#define DEPTH 40
#define CHUNKS 512
#define FIRST_SITE 2
#define TICKS_PER_NS 2.6

struct function {
	unsigned callees[CALLEES];
	unsigned depth[CALLEES]; /* the callee is not called any deeper */
	bool sometimes[CALLEES]; /* and then only every other time */
	double step_ns[CALLEES + 1];
	double jitter;
};

struct program {
	struct function functions[FUNCTIONS];
	uint64_t random;
	double ticks;
	struct chunk *chunks;
	size_t chunk;
	size_t word;
};

/* Uniform in [0, 1). */
static double uniform(struct program *program)
{
	program->random = program->random * UINT64_C(6364136223846793005) +
			  UINT64_C(1442695040888963407);
	return (double)(program->random >> 11) / 9007199254740992.0;
}

/* Close to normal: four uniform numbers. */
static double normal(struct program *program)
{
	double sum = 0;

	for (int i = 0; i < 4; i++)
		sum += uniform(program);
	return (sum - 2) * 1.7320508;
}

static void make_functions(struct program *program)
{
	for (size_t i = 0; i < FUNCTIONS; i++) {
		struct function *function = &program->functions[i];

		function->jitter = 0.08 + 0.35 * uniform(program);
		for (size_t j = 0; j < CALLEES; j++) {
			function->callees[j] =
				(unsigned)(uniform(program) * FUNCTIONS);
			function->depth[j] =
				2 + (unsigned)(uniform(program) * DEPTH);
			function->sometimes[j] = uniform(program) < 0.1;
		}
		for (size_t j = 0; j <= CALLEES; j++)
			function->step_ns[j] = 55 * exp(normal(program));
	}
}

static bool is_full(const struct program *program)
{
	return program->chunk == CHUNKS;
}

/* Records that `site` begins, or with 0 that a range ends, one step later. */
static void record(struct program *program, const struct function *function,
	size_t step, uint64_t site)
{
	struct chunk *chunk;
	double ns = function->step_ns[step] *
		    exp(function->jitter * normal(program));

	if (is_full(program))
		return;
	if (uniform(program) < 0.0005)
		ns *= 20 + 1000 * uniform(program);
	program->ticks += ns * TICKS_PER_NS;
	chunk = &program->chunks[program->chunk];
	if (program->word == 0) {
		chunk->track = 1;
		chunk->seq = program->chunk;
		chunk->base = (uint64_t)program->ticks;
	}
	chunk->words[program->word++] =
		((uint64_t)site << CTP_TICK_BITS) + (uint64_t)program->ticks;
	if (program->word == CHUNK_WORDS) {
		program->word = 0;
		program->chunk++;
	}
}

static void call(struct program *program, unsigned number, unsigned depth)
{
	const struct function *function = &program->functions[number];

	for (size_t i = 0; i < CALLEES && depth < DEPTH; i++) {
		if (is_full(program))
			return;
		if (depth >= function->depth[i] ||
			(function->sometimes[i] && uniform(program) < 0.5))
			continue;
		record(program, function, i, FIRST_SITE + function->callees[i]);
		call(program, function->callees[i], depth + 1);
		record(program, &program->functions[function->callees[i]],
			CALLEES, 0);
	}
}

static int64_t cpu_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
		return 0;
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Packs all chunks. Returns the CPU time used, negative if it failed. */
static int64_t pack(const struct program *program, struct log_writer *writer)
{
	const struct clock_scale scale = {
		.ns_per_tick = (uint64_t)(4294967296.0 / TICKS_PER_NS)};
	struct packer *packer = packer_new(writer, scale, 0);
	enum ctp_status status = CTP_OK;
	int64_t start = cpu_ns();
	struct ctp_error err;

	if (packer == NULL)
		return -1;
	for (size_t i = 0; i < CHUNKS && status == CTP_OK; i++) {
		uint32_t consumed = 0;

		status = packer_read_events(
			packer, &program->chunks[i], &consumed, &err);
		if (status == CTP_OK)
			status = packer_write_events(
				packer, &(struct chunk_losses){0}, &err);
		if (status == CTP_OK && consumed != CHUNK_WORDS)
			status = CTP_ERR_STATE;
	}
	if (status == CTP_OK)
		status = packer_finish(packer, &err);
	packer_free(packer);
	return status == CTP_OK ? cpu_ns() - start : -1;
}

static int pack_to(const struct program *program, const char *path, int level)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct log_writer *writer;
	struct stat file = {0};
	int64_t cost;

	if (fd < 0) {
		perror(path);
		return 1;
	}
	writer = log_writer_new(fd, level);
	if (writer == NULL) {
		fputs("bench_pack: out of memory\n", stderr);
		return 1;
	}
	cost = pack(program, writer);
	log_writer_free(writer);
	if (cost < 0 || stat(path, &file) != 0) {
		fputs("bench_pack: packing failed\n", stderr);
		return 1;
	}
	printf("{\"pack\": true, \"pairs\": %zu, \"cpu_ns\": %" PRId64
	       ", \"bytes\": %" PRId64 "}\n",
		CHUNKS * CHUNK_WORDS / 2, cost, (int64_t)file.st_size);
	return 0;
}

int main(int argc, char **argv)
{
	struct program *program = calloc(1, sizeof(*program));
	int status = 1;

	if (argc != 2 && argc != 3) {
		fputs("usage: bench_pack LOG [LEVEL]\n", stderr);
		free(program);
		return 2;
	}
	if (program != NULL)
		program->chunks = calloc(CHUNKS, sizeof(*program->chunks));
	if (program == NULL || program->chunks == NULL) {
		fputs("bench_pack: out of memory\n", stderr);
	} else {
		make_functions(program);
		while (!is_full(program))
			call(program, 0, 0);
		status = pack_to(
			program, argv[1], argc == 3 ? atoi(argv[2]) : 1);
	}
	if (program != NULL)
		free(program->chunks);
	free(program);
	return status;
}
