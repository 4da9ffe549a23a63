/* SPDX-License-Identifier: MIT */
/* Another thread (the recorder's own, for example) may hold the lock of
 * AddressSanitizer's allocator when a program forks. Before LLVM 17, the child
 * then waits for it for ever, as soon as it starts a thread. Here a fork takes
 * its locks first, as later versions do. If they are not found, nothing is
 * done. */
#include <pthread.h>
#include <stddef.h>

#define SANITIZER(function, name) \
	extern void function(void) __asm__(name) __attribute__((weak))

SANITIZER(lock_threads, "_ZN6__lsan18LockThreadRegistryEv");
SANITIZER(unlock_threads, "_ZN6__lsan20UnlockThreadRegistryEv");
SANITIZER(lock_allocator, "_ZN6__lsan13LockAllocatorEv");
SANITIZER(unlock_allocator, "_ZN6__lsan15UnlockAllocatorEv");
SANITIZER(lock_stacks, "_ZN11__sanitizer17StackDepotLockAllEv");
SANITIZER(unlock_stacks, "_ZN11__sanitizer19StackDepotUnlockAllEv");

static void before_fork(void)
{
	lock_threads();
	lock_allocator();
	lock_stacks();
}

static void after_fork(void)
{
	unlock_stacks();
	unlock_allocator();
	unlock_threads();
}

/* Handlers that are registered first run last before a fork. The recorder's,
 * which may be registered when it is loaded, may wait for a thread that
 * allocates. */
__attribute__((no_sanitize_address)) static void watch_forks(void)
{
	if (lock_threads != NULL && unlock_threads != NULL &&
		lock_allocator != NULL && unlock_allocator != NULL &&
		lock_stacks != NULL && unlock_stacks != NULL)
		(void)pthread_atfork(before_fork, after_fork, after_fork);
}

/* Before the libraries' own constructors. */
__attribute__((section(".preinit_array"), used)) static void (*first)(
	void) = watch_forks;
