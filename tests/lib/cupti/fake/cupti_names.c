/* SPDX-License-Identifier: MIT */
#include "cupti_names.h"

#include <pthread.h>
#include <stdio.h>

#include "cupti_record.h"
#include "fake_abi.h"

#define CBIDS 1024

static const struct {
	int32_t domain;
	uint32_t cbid;
	const char *name;
} known[] = {
	{FAKE_DRIVER_API, 1, "cuInit"},
	{FAKE_DRIVER_API, 17, "cuCtxSynchronize"},
	{FAKE_DRIVER_API, 115, "cuLaunch"},
	{FAKE_DRIVER_API, 116, "cuLaunchGrid"},
	{FAKE_DRIVER_API, 117, "cuLaunchGridAsync"},
	{FAKE_DRIVER_API, 121, "cuEventSynchronize"},
	{FAKE_DRIVER_API, 126, "cuStreamSynchronize"},
	{FAKE_DRIVER_API, 216, "cuMemsetD8Async"},
	{FAKE_DRIVER_API, 277, "cuMemcpyHtoDAsync_v2"},
	{FAKE_DRIVER_API, 279, "cuMemcpyDtoHAsync_v2"},
	{FAKE_DRIVER_API, 281, "cuMemcpyDtoDAsync_v2"},
	{FAKE_DRIVER_API, 295, "cuStreamWaitEvent"},
	{FAKE_DRIVER_API, 306, "cuMemcpyAsync"},
	{FAKE_DRIVER_API, 307, "cuLaunchKernel"},
	{FAKE_DRIVER_API, 322, "cuCtxDestroy_v2"},
	{FAKE_DRIVER_API, 440, "cuStreamSynchronize_ptsz"},
	{FAKE_DRIVER_API, 442, "cuLaunchKernel_ptsz"},
	{FAKE_DRIVER_API, 477, "cuLaunchCooperativeKernel"},
	{FAKE_DRIVER_API, 514, "cuGraphLaunch"},
	{FAKE_DRIVER_API, 515, "cuGraphLaunch_ptsz"},
	{FAKE_DRIVER_API, 545, "cuDevicePrimaryCtxReset_v2"},
	{FAKE_DRIVER_API, 652, "cuLaunchKernelEx"},
	{FAKE_DRIVER_API, 653, "cuLaunchKernelEx_ptsz"},
	{FAKE_DRIVER_API, 800, "cuCtxSynchronize_v2"},
	{FAKE_RUNTIME_API, 17, "cudaGetDevice_v3020"},
	{FAKE_RUNTIME_API, 31, "cudaMemcpy_v3020"},
	{FAKE_RUNTIME_API, 41, "cudaMemcpyAsync_v3020"},
	{FAKE_RUNTIME_API, 49, "cudaMemset_v3020"},
	{FAKE_RUNTIME_API, 51, "cudaMemsetAsync_v3020"},
	{FAKE_RUNTIME_API, 131, "cudaStreamSynchronize_v3020"},
	{FAKE_RUNTIME_API, 137, "cudaEventSynchronize_v3020"},
	{FAKE_RUNTIME_API, 164, "cudaDeviceReset_v3020"},
	{FAKE_RUNTIME_API, 165, "cudaDeviceSynchronize_v3020"},
	{FAKE_RUNTIME_API, 211, "cudaLaunchKernel_v7000"},
	{FAKE_RUNTIME_API, 214, "cudaLaunchKernel_ptsz_v7000"},
	{FAKE_RUNTIME_API, 311, "cudaGraphLaunch_v10000"},
	{FAKE_RUNTIME_API, 312, "cudaGraphLaunch_ptsz_v10000"},
};

/* The number of calls in each version, without gaps. */
static const uint32_t limits[][2] = {
	{677, 434}, {754, 468}, {807, 523}, {900, 600}};

static char names[2][CBIDS][32];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
	for (uint32_t i = 0; i < CBIDS; i++) {
		(void)snprintf(names[0][i], sizeof(names[0][i]), "cuCall%u", i);
		(void)snprintf(names[1][i], sizeof(names[1][i]),
			"cudaCall%u_v3020", i);
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		(void)snprintf(
			names[known[i].domain - FAKE_DRIVER_API][known[i].cbid],
			sizeof(names[0][0]), "%s", known[i].name);
}

const char *cupti_name(int32_t domain, uint32_t cbid)
{
	(void)pthread_once(&once, fill);
	if (domain != FAKE_DRIVER_API && domain != FAKE_RUNTIME_API)
		return NULL;
	if (cbid >= limits[cupti_record_layout()][domain - FAKE_DRIVER_API])
		return NULL;
	return names[domain - FAKE_DRIVER_API][cbid];
}
