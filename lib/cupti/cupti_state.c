/* SPDX-License-Identifier: MIT */
#include "cupti/cupti_state.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "cupti/cupti_buffers.h"
#include "cupti/cupti_callback.h"
#include "cupti/cupti_session.h"

static _Atomic enum cupti_state current;

enum cupti_state cupti_state(void)
{
	return atomic_load(&current);
}

void cupti_state_set(enum cupti_state state)
{
	atomic_store(&current, state);
}

void cupti_state_report(const char *why)
{
	char text[CUPTI_REASON_BYTES + 8];

	(void)snprintf(text, sizeof(text), "off: %s", why);
	cupti_session_fact("gpu.state", text);
}

void cupti_state_die(const char *why)
{
	enum cupti_state on = CUPTI_STATE_ON;

	if (!atomic_compare_exchange_strong(&current, &on, CUPTI_STATE_DEAD))
		return;
	cupti_callback_active(false);
	cupti_state_report(why);
	cupti_buffers_wake(); /* there will be no more */
}
