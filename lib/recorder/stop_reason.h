/* SPDX-License-Identifier: MIT */
/* Why recording stopped before it was told to, if it did. The background
 * thread says so while others hold the session's lock and wait for it. */
#ifndef STOP_REASON_H
#define STOP_REASON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* `err` is the reason; one with CTP_OK is none. Any thread. */
void stop_reason_set(const struct ctp_error *err);

/* Fills `out` with the reason, and how many events were `lost`; "" and false
 * if there is none. Any thread. */
bool stop_reason_describe(char *out, size_t size, uint64_t lost);

/* In a child after fork: who was setting it may be gone. */
void stop_reason_forget(void);

#endif
