/* SPDX-License-Identifier: MIT */
/* The exports of the fake libcuda, in the driver's own names and, as far as the
 * binary interface goes, types. */
#ifndef CUDA_H
#define CUDA_H

#include "fake.h"

extern FAKE_API const struct fake_calls fake_calls;

FAKE_API int cuInit(unsigned int flags);
FAKE_API int cuDriverGetVersion(int *version);
FAKE_API int cuDeviceGetCount(int *count);
FAKE_API int cuDeviceGet(int *device, int ordinal);
FAKE_API int cuDeviceGetName(char *name, int size, int device);
FAKE_API int cuDeviceGetUuid(unsigned char *uuid, int device);
FAKE_API int cuDeviceGetUuid_v2(unsigned char *uuid, int device);
FAKE_API int cuDeviceTotalMem_v2(size_t *bytes, int device);
FAKE_API int cuDeviceGetPCIBusId(char *id, int size, int device);
FAKE_API int cuDeviceGetAttribute(int *value, int attribute, int device);
FAKE_API int cuCtxGetCurrent(void **context);

/* Has cuInit() succeeded? */
bool cuda_is_up(void);

#endif
