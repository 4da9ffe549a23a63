/* SPDX-License-Identifier: MIT */
/*
 * Kinds of devices, as PyTorch numbers them.
 * Source: c10/core/DeviceType.h, the enum and DeviceTypeName() with
 * lower_case; its numbers are never given anew.
 */
#ifndef DEVICE_TYPE_H
#define DEVICE_TYPE_H

#include <stdint.h>

enum { DEVICE_TYPE_CPU = 0, DEVICE_TYPE_CUDA = 1 };

/* "cuda"; NULL of a number that is not known. */
const char *device_type_name(int64_t type);

#endif
