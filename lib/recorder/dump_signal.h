/* SPDX-License-Identifier: MIT */
/* The signal that asks for the last events to be written to the log. */
#ifndef DUMP_SIGNAL_H
#define DUMP_SIGNAL_H

#include <stdbool.h>

/* Handles the signal from now on, unless the program does; 0: none. It stays
 * handled when recording stops: a late signal must not kill the program. */
void dump_signal_watch(int number);

/* Whether a signal came since the last call. The background thread. */
bool dump_signal_take(void);

#endif
