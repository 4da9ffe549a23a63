/* SPDX-License-Identifier: MIT */
/* The state of the recording, for the files that begin, end and fork it. */
#ifndef SESSION_PRIVATE_H
#define SESSION_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "recorder/session.h"

extern struct session_data {
	pthread_mutex_t lock; /* over start and stop */
	_Atomic uint64_t current;
	/* The same, and already while it begins. */
	_Atomic uint64_t open;
	uint64_t last;       /* number given last */
	_Atomic bool looked; /* at the environment, or need not */
	_Atomic bool due;    /* a recording is to begin with the next event */
	bool child;          /* forked while a recording was on or due, */
	bool refused;        /* and it could not begin */
	uint32_t parent;     /* in a child that was forked while recording */
	uint32_t forking;    /* who forks: getppid() may not know its number */
	struct clock_sync forked; /* when that was */
	bool forks_watched;
	bool tsc;
	struct spool spool;
	struct session_options options;
	char path[OPTIONS_PATH_BYTES]; /* of the log, as it came to be */
	uint64_t lost; /* events that were not in the log at the end */
} session_state;

/* Follows forks from now on. The lock is held. */
void session_watch_forks(void);

#endif
