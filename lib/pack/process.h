/* SPDX-License-Identifier: MIT */
/* Facts that the kernel knows about processes, about this one above all. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The program's arguments, as far as they fit, or the name of its file, each
 * with a zero byte after it. Return how many bytes that is; 0 if unknown. */
size_t process_command(char *out, size_t size);
size_t process_program(char *out, size_t size);

/*
 * Start time of the process by CLOCK_REALTIME; some hundredths of a second
 * early, because of the kernel's resolution. INT64_MIN if unknown.
 */
int64_t process_started_ns(void);

/* The state of a process's first thread: 'Z' if it has ended, 'T' if it was
 * stopped, ...; and the number of threads, including that one. 0 if unknown. */
char process_state(pid_t pid, long *threads);

/* The name of one of our threads, by its number as text; false, with "", if
 * there is none or it is unknown. */
#define PROCESS_THREAD_NAME 17 /* with a line feed while reading */
bool process_thread_name(const char *thread, char name[PROCESS_THREAD_NAME]);

/* The addresses that the process may still map; UINT64_MAX without a limit. */
uint64_t process_addresses_left(void);

/* The running kernel's boot id; "" if unknown. */
void process_boot_id(char *out, size_t size);

#endif
