/* SPDX-License-Identifier: MIT */
/*
 * Reads peaks of devices from a user's file:
 *
 * {"H100 PCIe": {"tflops": {"fp32": 51, "bf16": 756}, "gb_per_s": 2000}, ...}
 *
 * The key has words of the device's name, in order.
 */
#ifndef PEAKS_FILE_H
#define PEAKS_FILE_H

#include <jansson.h>

#include "roofline/peaks.h"

/* All zero is an empty file. */
struct peaks_file {
	struct peak *peaks;
	size_t count;
	json_t *root; /* owns the names */
};

/* Errors: reported; returns an exit status. Call peaks_file_clear() in any
 * case. */
int peaks_file_read(struct peaks_file *file, const char *path);
void peaks_file_clear(struct peaks_file *file);

#endif
