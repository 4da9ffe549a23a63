/* SPDX-License-Identifier: MIT */
#include "cupti/gpu_find.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"

/* The newest first: an older CUPTI works with a newer driver, and not the
 * other way round. */
static const struct soname {
	int major; /* of the driver that it came with; 0: any */
	const char *name;
} sonames[] = {
	{13, "libcupti.so.13"},
	{12, "libcupti.so.12"},
	{11, "libcupti.so.11.8"},
	{11, "libcupti.so.11.7"},
	{11, "libcupti.so.11.6"},
	{11, "libcupti.so.11.5"},
	{11, "libcupti.so.11.4"},
	{11, "libcupti.so.11.3"},
	{11, "libcupti.so.11.2"},
	{11, "libcupti.so.11.1"},
	{0, "libcupti.so"},
};

/* Where it lies, seen from CUDA's runtime: in the packages of Python and in
 * the toolkit, whose libraries are in lib64, or in targets/ARCH-linux/lib. */
static const char *const beside[] = {".", "../../cu13/lib",
	"../../cuda_cupti/lib", "../../nvidia/cu13/lib",
	"../../nvidia/cuda_cupti/lib", "../extras/CUPTI/lib64",
	"../../extras/CUPTI/lib64", "../../../extras/CUPTI/lib64"};

static const char *const toolkit[] = {
	"/usr/local/cuda/lib64",
	"/usr/local/cuda/extras/CUPTI/lib64",
#ifdef __aarch64__ /* servers; there may be no lib64 */
	"/usr/local/cuda/targets/sbsa-linux/lib",
#endif
};

struct mapped {
	char cupti[PATH_MAX];
	char runtime[PATH_MAX];
};

static void keep(char *out, const char *path)
{
	if (out[0] == '\0')
		(void)snprintf(out, PATH_MAX, "%s", path);
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = info->dlpi_name;
	const char *base = path == NULL ? NULL : strrchr(path, '/');
	struct mapped *mapped = data;

	(void)size;
	if (path == NULL)
		return 0;
	base = base == NULL ? path : base + 1;
	if (strncmp(base, "libcupti.so", 11) == 0)
		keep(mapped->cupti, path);
	else if (strncmp(base, "libcudart.so", 12) == 0 ||
		 strncmp(base, "libtorch_cuda.so", 16) == 0)
		keep(mapped->runtime, path);
	return 0;
}

static void *open_path(const char *path)
{
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *gpu_find_driver(void)
{
	return dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
}

int gpu_driver_version(void)
{
	void *driver = gpu_find_driver();
	void *found =
		driver == NULL ? NULL : dlsym(driver, "cuDriverGetVersion");
	int (*get)(int *);
	int version = 0;

	if (found == NULL)
		return 0;
	memcpy(&get, &found, sizeof(get));
	return get(&version) == 0 ? version : 0;
}

/* The first of the names that is there in the directory; "": wherever the
 * dynamic linker looks. None is newer than the driver, if that is known. */
static void *open_in(const char *directory, int driver_major)
{
	char path[PATH_MAX + 64];
	void *handle = NULL;

	for (size_t i = 0;
		handle == NULL && i < sizeof(sonames) / sizeof(sonames[0]);
		i++) {
		if (driver_major != 0 && sonames[i].major > driver_major)
			continue;
		(void)snprintf(path, sizeof(path), "%s%s%s", directory,
			directory[0] == '\0' ? "" : "/", sonames[i].name);
		if (directory[0] == '\0' || access(path, R_OK) == 0)
			handle = open_path(path);
	}
	return handle;
}

static void *open_beside(const char *runtime, int driver_major)
{
	char directory[PATH_MAX];
	char place[PATH_MAX + 64];
	char *slash;
	void *handle = NULL;

	(void)snprintf(directory, sizeof(directory), "%s", runtime);
	slash = strrchr(directory, '/');
	if (slash == NULL)
		return NULL;
	*slash = '\0';
	for (size_t i = 0;
		handle == NULL && i < sizeof(beside) / sizeof(beside[0]); i++) {
		(void)snprintf(
			place, sizeof(place), "%s/%s", directory, beside[i]);
		handle = open_in(place, driver_major);
	}
	return handle;
}

/* One that is in the process already. */
static void *open_mapped(const char *path)
{
	if (path[0] != '\0')
		return dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	if (dlsym(RTLD_DEFAULT, "cuptiActivityEnable") != NULL)
		return dlopen(NULL, RTLD_NOW);
	return NULL;
}

static void *open_any(void)
{
	int major = gpu_driver_version() / 1000;
	struct mapped mapped = {"", ""};
	void *handle;

	(void)dl_iterate_phdr(look, &mapped);
	handle = open_mapped(mapped.cupti);
	if (handle == NULL && mapped.runtime[0] != '\0')
		handle = open_beside(mapped.runtime, major);
	if (handle == NULL)
		handle = open_in("", major);
	for (size_t i = 0;
		handle == NULL && i < sizeof(toolkit) / sizeof(toolkit[0]); i++)
		handle = open_in(toolkit[i], major);
	return handle;
}

void *gpu_find(char *reason, size_t size)
{
	const char *given = environment_find("CTPROF_CUPTI_LIB");
	const bool is_given = given != NULL && given[0] != '\0';
	void *handle = is_given ? open_path(given) : open_any();
	const char *why = dlerror();

	if (handle == NULL && is_given)
		(void)snprintf(reason, size, "cannot load %s: %s", given,
			why == NULL ? "" : why);
	else if (handle == NULL)
		(void)snprintf(reason, size,
			"no libcupti found (CTPROF_CUPTI_LIB=PATH names one)");
	return handle;
}
