/* SPDX-License-Identifier: MIT */
#include "gpu_range.h"

#include <ctprof.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH 8

const struct fake_calls *gpu_fake;
_Atomic int64_t gpu_opened;

static _Thread_local struct {
	const char *name;
	int64_t instance;
} open_ranges[DEPTH];
static _Thread_local int depth;

void gpu_complain(const char *what)
{
	fprintf(stderr, "gpu_program: %s\n", what);
	exit(1);
}

void gpu_begin(const char *name)
{
	int64_t instance = gpu_opened++;

	ctp_begin(ctp_site_intern(name, "gpu_program.c", 1));
	ctp_arg_int("instance", instance);
	open_ranges[depth].name = name;
	open_ranges[depth++].instance = instance;
	if (gpu_fake != NULL)
		gpu_fake->range(name, instance);
}

void gpu_end(void)
{
	ctp_end();
	depth--;
	if (gpu_fake == NULL)
		return;
	if (depth == 0)
		gpu_fake->range("", 0);
	else
		gpu_fake->range(open_ranges[depth - 1].name,
			open_ranges[depth - 1].instance);
}

void gpu_load(void)
{
	int (*init)(unsigned int);
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (library == NULL)
		gpu_complain(dlerror());
	gpu_fake = dlsym(library, "fake_calls");
	*(void **)&init = dlsym(library, "cuInit");
	if (gpu_fake == NULL || init == NULL)
		gpu_complain("this is not the fake libcuda");
	if (init(0) != 0)
		fprintf(stderr, "cuInit fails\n");
}

void gpu_tell_threads(void)
{
	DIR *threads = opendir("/proc/self/task");
	const char *path = getenv("GPU_OUT");
	FILE *out = path == NULL ? NULL : fopen(path, "we");
	int count = 0;

	if (threads == NULL || out == NULL) {
		gpu_complain("cannot count the threads");
		return;
	}
	while (readdir(threads) != NULL)
		count++;
	(void)fprintf(out, "%d\n", count - 2); /* "." and ".." */
	(void)fclose(out);
	(void)closedir(threads);
}
