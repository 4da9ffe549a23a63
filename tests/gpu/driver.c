/* SPDX-License-Identifier: MIT */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct driver driver;

/* The driver compiles it for the GPU present. */
static const char ptx[] =
	".version 6.4\n"
	".target sm_75\n"
	".address_size 64\n"
	".visible .entry empty_k()\n"
	"{\n"
	"	ret;\n"
	"}\n"
	".visible .entry spin_ns_k(.param .u64 spin_ns_k_ns)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .u64 %from, %now, %passed, %ns;\n"
	"	ld.param.u64 %ns, [spin_ns_k_ns];\n"
	"	mov.u64 %from, %globaltimer;\n"
	"again:\n"
	"	mov.u64 %now, %globaltimer;\n"
	"	sub.u64 %passed, %now, %from;\n"
	"	setp.lt.u64 %p, %passed, %ns;\n"
	"	@%p bra again;\n"
	"	ret;\n"
	"}\n"
	".visible .entry axpy_k(.param .u64 axpy_k_x, .param .u64 axpy_k_y,\n"
	"	.param .f32 axpy_k_a, .param .u32 axpy_k_count)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .f32 %a, %fx, %fy;\n"
	"	.reg .u32 %i, %threads, %thread, %count;\n"
	"	.reg .u64 %x, %y, %offset;\n"
	"	ld.param.u64 %x, [axpy_k_x];\n"
	"	ld.param.u64 %y, [axpy_k_y];\n"
	"	ld.param.f32 %a, [axpy_k_a];\n"
	"	ld.param.u32 %count, [axpy_k_count];\n"
	"	mov.u32 %i, %ctaid.x;\n"
	"	mov.u32 %threads, %ntid.x;\n"
	"	mov.u32 %thread, %tid.x;\n"
	"	mad.lo.u32 %i, %i, %threads, %thread;\n"
	"	setp.ge.u32 %p, %i, %count;\n"
	"	@%p bra done;\n"
	"	cvta.to.global.u64 %x, %x;\n"
	"	cvta.to.global.u64 %y, %y;\n"
	"	mul.wide.u32 %offset, %i, 4;\n"
	"	add.u64 %x, %x, %offset;\n"
	"	add.u64 %y, %y, %offset;\n"
	"	ld.global.f32 %fx, [%x];\n"
	"	ld.global.f32 %fy, [%y];\n"
	"	fma.rn.f32 %fy, %a, %fx, %fy;\n"
	"	st.global.f32 [%y], %fy;\n"
	"done:\n"
	"	ret;\n"
	"}\n";

static const char *find(void *library, const char *symbol, void *to)
{
	void *found = dlsym(library, symbol);

	if (found == NULL)
		return symbol;
	memcpy(to, &found, sizeof(found));
	return NULL;
}

static const char *error_of(int result)
{
	const char *name = NULL;

	if (driver.error_name(result, &name) != 0 || name == NULL)
		return "an error without a name";
	return name;
}

const char *driver_open(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	const char *missing = NULL;
	int count = 0;
	int result;

	if (library == NULL)
		return "there is no libcuda.so.1";
#define DRIVER_FIND(name, symbol, arguments) \
	if (missing == NULL) \
		missing = find(library, symbol, &driver.name);
	DRIVER_CALLS(DRIVER_FIND)
#undef DRIVER_FIND
	if (missing != NULL)
		return "libcuda.so.1 lacks calls that the tests need";
	result = driver.init(0);
	if (result != 0)
		return error_of(result);
	result = driver.device_count(&count);
	return result == 0 && count > 0 ? NULL : "there is no device";
}

void driver_must(int result, const char *call)
{
	if (result == 0)
		return;
	(void)fprintf(stderr, "%s: %s (%d)\n", call, error_of(result), result);
	exit(1);
}

void driver_load(struct driver_kernels *kernels)
{
	driver_module module;

	MUST(driver.module_load(&module, ptx));
	MUST(driver.module_function(&kernels->empty, module, "empty_k"));
	MUST(driver.module_function(&kernels->spin, module, "spin_ns_k"));
	MUST(driver.module_function(&kernels->axpy, module, "axpy_k"));
}

void driver_begin(struct driver_kernels *kernels)
{
	driver_context context;
	int device;

	MUST(driver.device_get(&device, 0));
	MUST(driver.context_retain(&context, device));
	MUST(driver.context_set(context));
	driver_load(kernels);
}
