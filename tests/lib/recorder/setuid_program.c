/* SPDX-License-Identifier: MIT */
/*
 * A program with rights that its caller lacks, for setuid.sh. It first prints
 * whether the system treats it so. Then, by its first argument:
 *
 *   mark            marks a range, as any program that is linked with libctprof
 *   default         starts to record, without a path
 *   start LOG       starts to record to its own log, with GPUs and NVTX
 *   inject LIBRARY LOG
 *                   the same, and loads the library as NVTX, ITT and CUDA would
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "ctprof.h"
#include "recorder/itt_abi.h"
#include "recorder/nvtx_abi.h"

static nvtx_function functions[32];
static int asked;

static int find_table(int module, nvtx_function ***out, unsigned *size)
{
	static nvtx_function *slots[32];

	(void)module;
	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++)
		slots[i] = &functions[i];
	asked = 1;
	*out = slots;
	*size = 16;
	return 1;
}

static const void *export(uint32_t table)
{
	static const struct nvtx_callbacks callbacks = {
		sizeof(callbacks), find_table};

	return table == NVTX_EXPORT_CALLBACKS ? &callbacks : NULL;
}

static void *find(void *library, const char *name)
{
	void *address = dlsym(library, name);

	if (address == NULL)
		printf("no %s\n", name);
	return address;
}

static void inject(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void *task_begin = NULL;
	struct itt_function list[] = {
		{"__itt_task_begin", &task_begin, NULL, NULL, -1},
		{NULL, NULL, NULL, NULL, 0}};
	struct itt_global global = {.magic = ITT_MAGIC,
		.version = {ITT_VERSION},
		.functions = list};
	int (*nvtx)(nvtx_export);
	void (*itt)(struct itt_global *, int);
	int (*cuda)(void);

	if (library == NULL) {
		printf("cannot load: %s\n", dlerror());
		return;
	}
	nvtx = (int (*)(nvtx_export))find(library, "InitializeInjectionNvtx2");
	itt = (void (*)(struct itt_global *, int))find(
		library, "__itt_api_init");
	cuda = (int (*)(void))find(library, "InitializeInjection");
	if (nvtx == NULL || itt == NULL || cuda == NULL)
		return;
	printf("nvtx %d\n", nvtx(export) != 0 || asked);
	itt(&global, -1);
	printf("itt %d\n", task_begin != NULL);
	(void)cuda();
}

int main(int argc, char **argv)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	const char *mode = argc < 2 ? "" : argv[1];

	printf("secure %lu\n", getauxval(AT_SECURE));
	options.out = argc < 3 ? NULL : argv[argc - 1];
	options.gpu = CTP_GPU_LIGHT;
	options.emit = CTP_EMIT_NVTX;
	if (strcmp(mode, "default") == 0)
		options = (struct ctp_options)CTP_OPTIONS_INIT;
	if (strcmp(mode, "mark") != 0)
		printf("start %d\n", ctp_start(&options));
	{
		CTP_SCOPE("work");
	}
	if (strcmp(mode, "inject") == 0)
		inject(argv[2]);
	printf("status %s\n", ctp_status());
	(void)ctp_stop();
	return 0;
}
