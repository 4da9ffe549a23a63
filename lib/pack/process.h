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
 * When the process began, by CLOCK_REALTIME; some hundredths of a second
 * early, as the kernel counts it. INT64_MIN where it cannot be known.
 */
int64_t process_started_ns(void);

/* The state of a process's first thread: 'Z' if it has ended, 'T' if it was
 * stopped, ...; and how many threads there are, that one among them. 0 where it
 * cannot be known. */
char process_state(pid_t pid, long *threads);

/* The name of one of our threads, by its number as text; false, with "", if
 * there is none or it is unknown. */
#define PROCESS_THREAD_NAME 17 /* a line feed while it is read */
bool process_thread_name(const char *thread, char name[PROCESS_THREAD_NAME]);

/* The running kernel's boot id; "" where it cannot be known. */
void process_boot_id(char *out, size_t size);

#endif
