/* SPDX-License-Identifier: MIT */
/* Our own thread, which gets the records from CUPTI and hands them over to the
 * log: about once a second, or earlier if there are many. */
#ifndef CUPTI_DRAIN_H
#define CUPTI_DRAIN_H

#include <stdbool.h>

/* Starts it. False if there cannot be another thread. */
bool cupti_drain_start(void);

/*
 * Switches recording off and hands over all that the device did until now;
 * `last`: and gives CUPTI up. False if CUPTI does not return, which is not
 * waited for longer than some seconds.
 */
bool cupti_drain_stop(bool last);

/* A recording begins. Records of kinds that cannot be disabled, since the last
 * one ended, belong to no recording. */
void cupti_drain_begin(void);

#endif
