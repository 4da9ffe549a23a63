/* SPDX-License-Identifier: MIT */
/*
 * The driver loads the library in CUDA_INJECTION64_PATH when it is initialized,
 * before the program can create a context. A program that starts recording
 * later already has the driver, so the library is loaded here. It is never
 * loaded without a driver, so that a program without CUDA is not affected.
 * Source: the CUPTI documentation, "CUPTI initialization"; notes on
 * InitializeInjection in its sample cupti_trace_injection.
 */
#include "recorder/device_load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/device_link.h"
#include "base/environment.h"
#include "log/log_block.h"
#include "pack/options.h"
#include "recorder/thread_state.h"

#define DRIVER "libcuda.so.1"
#define NAME "libctprof-inject.so"
#define LIBRARY NAME ".0"
#define VARIABLE "CUDA_INJECTION64_PATH"
#define PATH_ROOM 4096
#define NOT_INITIALIZED 3 /* result of the driver's functions */

static struct {
	pthread_mutex_t lock;
	char text[DEVICE_PROBLEM_BYTES]; /* "": none */
} problem = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic bool is_late;

bool ctp_private_device_late(void)
{
	return is_late;
}

static void set_problem(const char *what, const char *why)
{
	(void)pthread_mutex_lock(&problem.lock);
	(void)snprintf(problem.text, sizeof(problem.text), "%s%s", what, why);
	(void)pthread_mutex_unlock(&problem.lock);
}

bool device_load_problem(char *text, size_t size)
{
	(void)pthread_mutex_lock(&problem.lock);
	(void)snprintf(text, size, "%s", problem.text);
	(void)pthread_mutex_unlock(&problem.lock);
	return text[0] != '\0';
}

void device_load_forget(void)
{
	(void)pthread_mutex_init(&problem.lock, NULL);
}

/* Finds the library beside our own. */
static bool find(char *path, size_t room)
{
	char own[PATH_ROOM];
	Dl_info info;
	char *slash;

	if (dladdr(&problem, &info) == 0 || info.dli_fname == NULL ||
		realpath(info.dli_fname, own) == NULL) {
		set_problem(LIBRARY, ": cannot tell where libctprof is");
		return false;
	}
	slash = strrchr(own, '/');
	slash[1] = '\0';
	if ((size_t)snprintf(path, room, "%s%s", own, LIBRARY) >= room ||
		access(path, R_OK) != 0) {
		set_problem(LIBRARY, " is not where libctprof is");
		return false;
	}
	return true;
}

static bool is_ours(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash == NULL ? path : slash + 1, NAME, strlen(NAME)) ==
	       0;
}

void device_load_later(void)
{
	const char *set = environment_find(VARIABLE);
	char path[2 * PATH_ROOM];

	if (set != NULL && set[0] != '\0') {
		if (!is_ours(set))
			set_problem(VARIABLE " is set to ", set);
		return;
	}
	if (find(path, sizeof(path)) && setenv(VARIABLE, path, 1) != 0)
		set_problem(VARIABLE, " cannot be set");
}

/* Whether the program has initialized the driver. */
static bool is_up(void *driver)
{
	void *address = dlsym(driver, "cuCtxGetCurrent");
	int (*current)(void **);
	void *context;

	if (address == NULL)
		return false;
	memcpy(&current, &address, sizeof(current));
	return current(&context) != NOT_INITIALIZED;
}

static bool has_driver(void)
{
	void *driver = dlopen(DRIVER, RTLD_LAZY | RTLD_NOLOAD);

	if (driver == NULL)
		return false;
	is_late = is_up(driver);
	(void)dlclose(driver);
	return true;
}

/* Loads it and lets it check for work. */
static void load_now(void)
{
	char path[2 * PATH_ROOM];
	int (*initialize)(void);
	void *library;
	void *address;

	if (!find(path, sizeof(path)))
		return;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		const char *why = dlerror();

		set_problem("cannot load ", why == NULL ? LIBRARY : why);
		return;
	}
	address = dlsym(library, "InitializeInjection");
	if (address == NULL) {
		set_problem(LIBRARY, " has no InitializeInjection");
		return;
	}
	memcpy(&initialize, &address, sizeof(initialize));
	(void)initialize();
}

void device_load_report(const char *why)
{
	struct buffer bytes = BUFFER_INIT;
	msgpack_packer out = log_block_begin(&bytes, LOG_DEVICE_FACTS, 2);
	char text[DEVICE_PROBLEM_BYTES + 8];

	(void)snprintf(text, sizeof(text), "off: %s", why);
	(void)msgpack_pack_map(&out, 2);
	msgpack_out_pair(&out, "gpu.mode", options_gpu_name(ctp_private_gpu()));
	msgpack_out_pair(&out, "gpu.state", text);
	if (!bytes.failed)
		(void)ctp_private_block(
			LOG_DEVICE_FACTS, bytes.bytes, bytes.used);
	buffer_clear(&bytes);
}

void device_load(void)
{
	const struct thread_hold before = thread_hold();
	char text[DEVICE_PROBLEM_BYTES];

	set_problem("", "");
	if (environment_is_refused())
		set_problem("", "a set-user-ID program loads no libraries");
	else if (has_driver())
		load_now();
	else
		device_load_later();
	if (device_load_problem(text, sizeof(text)))
		device_load_report(text);
	thread_release(before);
}
