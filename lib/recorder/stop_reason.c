/* SPDX-License-Identifier: MIT */
#include "recorder/stop_reason.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

static struct {
	pthread_mutex_t lock;
	struct ctp_error error;
} outcome = {.lock = PTHREAD_MUTEX_INITIALIZER};

void stop_reason_set(const struct ctp_error *err)
{
	(void)pthread_mutex_lock(&outcome.lock);
	outcome.error = *err;
	(void)pthread_mutex_unlock(&outcome.lock);
}

bool stop_reason_describe(char *out, size_t size, uint64_t lost)
{
	struct ctp_error error;
	int used;

	(void)pthread_mutex_lock(&outcome.lock);
	error = outcome.error;
	(void)pthread_mutex_unlock(&outcome.lock);
	out[0] = '\0';
	if (error.status == CTP_OK)
		return false;
	used = snprintf(out, size, "%s", error.message);
	if (lost > 0 && used > 0 && (size_t)used < size)
		(void)snprintf(out + used, size - (size_t)used,
			"; %" PRIu64 " event%s after that %s lost", lost,
			lost == 1 ? "" : "s", lost == 1 ? "is" : "are");
	return true;
}

void stop_reason_forget(void)
{
	(void)pthread_mutex_init(&outcome.lock, NULL);
}
