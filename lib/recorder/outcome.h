/* SPDX-License-Identifier: MIT */
/* Why recording stopped before it was told to, if it did. The background
 * thread says so while others hold the session's lock and wait for it. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* `err` is the reason; one with CTP_OK is none. Any thread. */
void outcome_set(const struct ctp_error *err);

/* Fills `out` with the reason, and how many events were `lost`; "" and false
 * if there is none. Any thread. */
bool outcome_describe(char *out, size_t size, uint64_t lost);

/* In a child after fork: who was setting it may be gone. */
void outcome_forget(void);

#endif
