/* SPDX-License-Identifier: MIT */
#include "cupti_range.h"

#include <ctprof.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH 8

const struct fake_calls *cupti_fake;
_Atomic int64_t cupti_opened;

static _Thread_local struct {
	const char *name;
	int64_t instance;
} open_ranges[DEPTH];
static _Thread_local int depth;

void cupti_complain(const char *what)
{
	fprintf(stderr, "cupti_program: %s\n", what);
	exit(1);
}

void cupti_begin(const char *name)
{
	int64_t instance = cupti_opened++;

	ctp_begin(ctp_site_intern(name, "cupti_program.c", 1));
	ctp_arg_int("instance", instance);
	open_ranges[depth].name = name;
	open_ranges[depth++].instance = instance;
	if (cupti_fake != NULL)
		cupti_fake->range(name, instance);
}

void cupti_end(void)
{
	ctp_end();
	depth--;
	if (cupti_fake == NULL)
		return;
	if (depth == 0)
		cupti_fake->range("", 0);
	else
		cupti_fake->range(open_ranges[depth - 1].name,
			open_ranges[depth - 1].instance);
}

void cupti_load(void)
{
	int (*init)(unsigned int);
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (library == NULL)
		cupti_complain(dlerror());
	cupti_fake = dlsym(library, "fake_calls");
	*(void **)&init = dlsym(library, "cuInit");
	if (cupti_fake == NULL || init == NULL)
		cupti_complain("this is not the fake libcuda");
	if (init(0) != 0)
		fprintf(stderr, "cuInit fails\n");
}

void cupti_print_threads(void)
{
	DIR *threads = opendir("/proc/self/task");
	const char *path = getenv("GPU_OUT");
	FILE *out = path == NULL ? NULL : fopen(path, "we");
	int count = 0;

	if (threads == NULL || out == NULL) {
		cupti_complain("cannot count the threads");
		return;
	}
	while (readdir(threads) != NULL)
		count++;
	(void)fprintf(out, "%d\n", count - 2); /* "." and ".." */
	(void)fclose(out);
	(void)closedir(threads);
}
