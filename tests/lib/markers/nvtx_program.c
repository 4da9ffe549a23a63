/* SPDX-License-Identifier: MIT */
/*
 * A program that marks ranges by NVTX, for nvtx.sh: with NVIDIA's headers if
 * HEADERS is defined, otherwise without. As a library, with MODULE defined, it
 * has its own tables.
 */
#ifdef HEADERS
#include <nvtx3/nvToolsExt.h>
#else
#include "nvtx_client.h"
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void module_work(void);

#ifdef ALONE
void module_work(void)
{
}
#endif

#ifdef MODULE
void module_work(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("module");
	nvtxEventAttributes_t range = {.version = NVTX_VERSION,
		.size = sizeof(range),
		.messageType = NVTX_MESSAGE_TYPE_ASCII,
		.message.ascii = "in module"};

	(void)nvtxDomainRangePushEx(domain, &range);
	(void)nvtxRangePushA("default of module");
	(void)nvtxRangePop();
	(void)nvtxDomainRangePop(domain);
}
#else

#define THREADS 8
#define ROUNDS 500

static int failed;

static void expect(const char *what, int found, int wanted)
{
	if (found != wanted) {
		printf("%s: %d, not %d\n", what, found, wanted);
		failed = 1;
	}
}

static nvtxEventAttributes_t named(const char *text)
{
	return (nvtxEventAttributes_t){.version = NVTX_VERSION,
		.size = sizeof(nvtxEventAttributes_t),
		.messageType = NVTX_MESSAGE_TYPE_ASCII,
		.message.ascii = text};
}

static void say_payloads(nvtxDomainHandle_t domain)
{
	nvtxEventAttributes_t range = named("payload");

	range.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
	range.payload.ullValue = UINT64_MAX;
	(void)nvtxDomainRangePushEx(domain, &range);
	(void)nvtxDomainRangePop(domain);
	range.payloadType = NVTX_PAYLOAD_TYPE_INT64;
	range.payload.llValue = -5;
	(void)nvtxDomainRangePushEx(domain, &range);
	(void)nvtxDomainRangePop(domain);
	range.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
	range.payload.dValue = 0.5;
	(void)nvtxDomainRangePushEx(domain, &range);
	(void)nvtxDomainRangePop(domain);
	range.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
	range.payload.uiValue = UINT32_MAX;
	(void)nvtxDomainRangePushEx(domain, &range);
	(void)nvtxDomainRangePop(domain);
	range.payloadType = NVTX_PAYLOAD_TYPE_INT32;
	range.payload.iValue = -6;
	(void)nvtxDomainRangePushEx(domain, &range);
	(void)nvtxDomainRangePop(domain);
	range.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
	range.payload.fValue = 0.25F;
	(void)nvtxDomainRangePushEx(domain, &range);
	(void)nvtxDomainRangePop(domain);
}

/* Payload, category and colour of marks other than pushed ranges. */
static void say_more(nvtxDomainHandle_t domain)
{
	nvtxEventAttributes_t more = named("more");
	nvtxRangeId_t id;

	more.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
	more.payload.ullValue = UINT64_MAX;
	more.category = 7;
	more.colorType = NVTX_COLOR_ARGB;
	more.color = 0x0123fedc;
	nvtxDomainMarkEx(domain, &more);
	id = nvtxDomainRangeStartEx(domain, &more);
	nvtxDomainRangeEnd(domain, id);
	more = named("less");
	more.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
	more.payload.fValue = 0.25F;
	nvtxMarkEx(&more);
	id = nvtxRangeStartEx(&more);
	nvtxRangeEnd(id);
}

/* Every call once; plain_events in nvtx.sh lists the expected events. */
static void plain(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("dom");
	nvtxEventAttributes_t range = named("first");
	nvtxRangeId_t id;

	expect("push", nvtxRangePushA("outer"), 0);
	expect("push wide", nvtxRangePushW(L"w\u00fcide \U0001f600"), 1);
	expect("push in a domain", nvtxDomainRangePushEx(domain, &range), 0);
	range.category = 7;
	range.colorType = NVTX_COLOR_ARGB;
	range.color = 0xff00a0b0;
	expect("push again", nvtxDomainRangePushEx(domain, &range), 1);
	nvtxDomainNameCategoryA(domain, 7, "seven");
	expect("pop", nvtxDomainRangePop(domain), 1);
	range = named(NULL);
	range.category = 7;
	range.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	range.message.registered = nvtxDomainRegisterStringA(domain, "kept");
	expect("push kept", nvtxDomainRangePushEx(domain, &range), 1);
	expect("pop kept", nvtxDomainRangePop(domain), 1);
	expect("pop first", nvtxDomainRangePop(domain), 0);
	expect("pop wide", nvtxRangePop(), 1);
	expect("pop outer", nvtxRangePop(), 0);
	say_payloads(domain);
	range = named("cut off");
	range.size = 20; /* only those of version 0 */
	(void)nvtxRangePushEx(&range);
	(void)nvtxRangePop();
	(void)nvtxRangePushEx(NULL);
	(void)nvtxRangePop();
	nvtxMarkA("mark");
	id = nvtxRangeStartW(L"started");
	nvtxRangeEnd(id);
	range = named("aten::add, seq = 5");
	id = nvtxDomainRangeStartEx(domain, &range);
	nvtxDomainMarkEx(domain, &range);
	nvtxDomainRangeEnd(domain, id);
	say_more(domain);
	nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "the main one");
	nvtxDomainDestroy(domain);
	module_work();
}

/* Domains that do not nest, and pops without a push. */
static void crossed(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateW(L"other");
	nvtxEventAttributes_t range = named("b");

	expect("stray", nvtxRangePop() < 0, 1);
	(void)nvtxRangePushA("a");
	(void)nvtxDomainRangePushEx(domain, &range);
	expect("pop below", nvtxRangePop(), 0);
	expect("stray again", nvtxRangePop() < 0, 1);
	(void)nvtxRangePushA("c");
	expect("pop late", nvtxDomainRangePop(domain), 0);
	expect("pop c", nvtxRangePop(), 0);
	nvtxRangeEnd(UINT64_C(99999) << 44);
}

/* Text that changes at one address, as torch's does. */
static void changing(void)
{
	char text[64];

	for (int i = 0; i < 3000; i++) {
		(void)snprintf(text, sizeof(text), "op, seq = %d", i % 1000);
		(void)nvtxRangePushA(text);
		(void)nvtxRangePop();
	}
}

/* More names than are kept. */
static void many(void)
{
	char text[64];

	for (int i = 0; i < 140000; i++) {
		(void)snprintf(text, sizeof(text), "name %d", i);
		(void)nvtxRangePushA(text);
		(void)nvtxRangePop();
	}
	nvtxMarkA("a mark without a name");
	nvtxRangeEnd(nvtxRangeStartA("a range without a name"));
}

static nvtxRangeId_t handed[THREADS];

static void *thread(void *argument)
{
	int number = *(const int *)argument;
	nvtxDomainHandle_t domain = nvtxDomainCreateA("threads");
	nvtxEventAttributes_t range = named("inner");
	char text[64];

	(void)snprintf(text, sizeof(text), "thread %d", number);
	nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), text);
	for (int i = 0; i < ROUNDS; i++) {
		(void)nvtxRangePushA("outer");
		(void)nvtxDomainRangePushEx(domain, &range);
		(void)nvtxRangePushA(text);
		(void)nvtxRangePop();
		(void)nvtxDomainRangePop(domain);
		(void)nvtxRangePop();
	}
	handed[number] = nvtxRangeStartA("handed");
	return NULL;
}

static void threads(void)
{
	pthread_t made[THREADS];
	int numbers[THREADS];

	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&made[i], NULL, thread, &numbers[i]) != 0)
			exit(99);
	}
	for (int i = 0; i < THREADS; i++) {
		(void)pthread_join(made[i], NULL);
		nvtxRangeEnd(handed[i]);
	}
}

/* The tool's record: "begin NAME" and "end", one per line. */
static void replay(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("ctprof");
	nvtxEventAttributes_t range;
	char line[256];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		range = named(line + 6);
		if (strncmp(line, "begin ", 6) == 0)
			(void)nvtxDomainRangePushEx(domain, &range);
		else
			(void)nvtxDomainRangePop(domain);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"plain", plain}, {"crossed", crossed},
		{"changing", changing}, {"many", many}, {"threads", threads},
		{"replay", replay}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc == 2 && strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	return failed;
}
#endif
