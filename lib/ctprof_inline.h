/* SPDX-License-Identifier: MIT */
/*
 * The part of ctprof.h that is compiled into the program: the recording hot
 * path, and the expansion of a range at block scope. Private: programs include
 * ctprof.h and use its macros.
 */
#ifndef CTPROF_INLINE_H
#define CTPROF_INLINE_H

#ifndef CTPROF_H
#error "include ctprof.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A record is one word: ticks plus the site's number in the bits above; site 0
 * ends a range. See chunk.h in the sources. */
#define CTP_TICK_BITS 44

struct ctp_thread {
	uint64_t *next;  /* the next record's place */
	uint64_t *limit; /* at or past it: take the slow path */
};

extern CTP_API int ctp_on; /* recording, in any thread */
extern CTP_API __thread struct ctp_thread *ctp_self
	__attribute__((tls_model("initial-exec")));

CTP_API int ctp_begin_slow(struct ctp_site *site);
CTP_API void ctp_end_slow(void);

#if defined(__x86_64__)
#define CTP_INLINE_TICKS() __builtin_ia32_rdtsc()
#elif defined(__aarch64__)
/* The generic timer's virtual count. No isb, which would flush the pipeline:
 * the read may be some instructions early or late, as on x86-64 without a
 * fence. */
static inline __attribute__((always_inline)) uint64_t ctp_inline_ticks(void)
{
	uint64_t ticks;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

#define CTP_INLINE_TICKS() ctp_inline_ticks()
#endif

/* Records the begin of a range of the site with this tag, or an end (tag 0).
 * This is the whole cost of most events. Returns 0 if there is no room, or no
 * clock that can be read inline. */
static inline __attribute__((always_inline)) int ctp_store_inline(uint64_t tag)
{
#ifdef CTP_INLINE_TICKS
	struct ctp_thread *self = ctp_self;
	uint64_t *next = __atomic_load_n(&self->next, __ATOMIC_RELAXED);

	if (__builtin_expect(
		    next < __atomic_load_n(&self->limit, __ATOMIC_RELAXED),
		    1)) {
		__atomic_store_n(
			next, CTP_INLINE_TICKS() + tag, __ATOMIC_RELAXED);
		__atomic_store_n(&self->next, next + 1, __ATOMIC_RELAXED);
		return 1;
	}
#else
	(void)tag;
#endif
	return 0;
}

/* Returns whether a range was opened (and needs an end). */
static inline __attribute__((always_inline)) int ctp_begin_inline(
	struct ctp_site *site)
{
	uint64_t tag;

	if (__builtin_expect(!__atomic_load_n(&ctp_on, __ATOMIC_RELAXED), 0))
		return 0;
	tag = __atomic_load_n(&site->tag, __ATOMIC_RELAXED);
	if (__builtin_expect(tag != 0 && ctp_store_inline(tag), 1))
		return 1;
	return ctp_begin_slow(site);
}

static inline __attribute__((always_inline)) void ctp_end_inline(void)
{
	if (!ctp_store_inline(0))
		ctp_end_slow();
}

static inline __attribute__((always_inline)) void ctp_scope_end(const int *open)
{
	if (__builtin_expect(*open, 1))
		ctp_end_inline();
}

#define CTP_JOIN_(a, b) a##b
#define CTP_JOIN(a, b) CTP_JOIN_(a, b)

#ifdef __cplusplus
} /* extern "C" */

namespace ctp
{
class scope
{
      public:
	inline __attribute__((always_inline)) explicit scope(
		struct ::ctp_site *site)
	    : open_(ctp_begin_inline(site))
	{
	}
	inline __attribute__((always_inline)) ~scope()
	{
		ctp_scope_end(&open_);
	}
	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;

      private:
	int open_;
};
} // namespace ctp

#define CTP_SCOPE_(text, n) \
	CTP_STATIC_SITE(CTP_JOIN(ctp_site_, n), text); \
	const ::ctp::scope CTP_JOIN(ctp_scope_, n)(&CTP_JOIN(ctp_site_, n))
#else
#define CTP_SCOPE_(text, n) \
	CTP_STATIC_SITE(CTP_JOIN(ctp_site_, n), text); \
	const int CTP_JOIN(ctp_scope_, n) \
		__attribute__((cleanup(ctp_scope_end), unused)) = \
			ctp_begin_inline(&CTP_JOIN(ctp_site_, n))
#endif

#endif
