/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace of any size in the form of PyTorch's profiler: activities of
 * threads (functions of Python, operators with their arguments, memory), each
 * followed by calls of CUDA and activities of devices, with arrows. The same
 * options give the same bytes.
 *
 * Usage: make_trace [--bytes=SIZE] [--seed=NUMBER] [--lengths=NUMBER] SIZE (1M)
 * may end in K, M or G; the trace is longer by a few steps' events. Inputs of
 * operators have NUMBER lengths. The default, 4, makes some 2,000 operators of
 * different shapes, as in large models; with 4096 nearly each has its own.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define OPS 20           /* operators of a step, one after the other */
#define STEPS 16         /* different ones */
#define OP_NS 4000       /* between two starts */
#define FUNCTIONS 1000   /* different ones */
#define CALLERS 8        /* functions around them */
#define CALLER_NS 500    /* between two starts */
#define FIRST_OP_NS 8000 /* in the step */
#define STEP_NS (FIRST_OP_NS + OPS * OP_NS + 8000)
#define LAUNCH_NS 20000 /* from a call to its kernel */
#define START_NS UINT64_C(1419116104507840123)
#define PID 21587
#define STREAM 7

static uint64_t seed = 1;
static uint64_t lengths = 4;

/* One event's times. */
struct span {
	uint64_t at_ns;
	uint64_t dur_ns;
};

/* One operator: kind, place, and pseudorandom numbers. */
struct op {
	uint64_t number;
	uint64_t kind; /* repeats after some steps */
	uint64_t random;
	uint64_t at_ns;
	unsigned tid;
};

/* In dimensions and strides, '#' is a length and 'w' the width of a layer. */
struct kind_of_op {
	const char *name;
	const char *types;
	const char *strides;
	const char *dims;
};

#define FLOAT "\"c10::BFloat16\""
#define SCALAR "\"Scalar\""
#define HEADS "[1, 16, #, 64]"
#define HEADS_STRIDES "[1024, 64, 1024, 1]"

static const struct kind_of_op outer_ops[] = {
	{"aten::linear", FLOAT ", " FLOAT ", " FLOAT,
		"[1024, 1024, 1], [1024, 1], [1]",
		"[1, #, 1024], [w, 1024], [w]"},
	{"aten::matmul", FLOAT ", " FLOAT, "[1024, 1], [1, 1024]",
		"[#, 1024], [1024, w]"},
	{"aten::add", FLOAT ", " FLOAT ", " SCALAR,
		"[1024, w, 1], [1024, w, 1], []", "[1, #, w], [1, #, w], []"},
	{"aten::_scaled_dot_product_efficient_attention",
		FLOAT ", " FLOAT ", " FLOAT ", \"\", " SCALAR ", " SCALAR,
		HEADS_STRIDES ", " HEADS_STRIDES ", " HEADS_STRIDES
			      ", [], [], []",
		HEADS ", " HEADS ", " HEADS ", [], [], []"},
	{"aten::layer_norm",
		FLOAT ", \"\", " FLOAT ", " FLOAT ", " SCALAR ", " SCALAR,
		"[1024, w, 1], [], [1], [1], [], []",
		"[1, #, w], [], [w], [w], [], []"},
	{"aten::to", FLOAT ", " SCALAR ", " SCALAR ", " SCALAR,
		"[1024, w, 1], [], [], []", "[1, #, w], [], [], []"},
	{"aten::copy_", FLOAT ", " FLOAT ", " SCALAR,
		"[1024, w, 1], [1024, w, 1], []", "[1, #, w], [1, #, w], []"},
	{"aten::gelu", FLOAT ", \"\"", "[1024, w, 1], []", "[1, #, w], []"},
};
static const struct kind_of_op inner_ops[] = {
	{"aten::addmm", FLOAT ", " FLOAT ", " FLOAT ", " SCALAR ", " SCALAR,
		"[1], [1024, 1], [1, 1024], [], []",
		"[w], [#, 1024], [1024, w], [], []"},
	{"aten::mm", FLOAT ", " FLOAT, "[1024, 1], [1, 1024]",
		"[#, 1024], [1024, w]"},
	{"aten::empty_strided", "\"ScalarList\", \"ScalarList\", " SCALAR,
		"[], [], []", "[], [], []"},
	{"aten::_efficient_attention_forward",
		FLOAT ", " FLOAT ", " FLOAT ", \"\", " SCALAR ", " SCALAR,
		"[#, 1024, 64, 1], [#, 1024, 64, 1], [#, 1024, 64, 1], [], [], "
		"[]",
		"[1, #, 16, 64], [1, #, 16, 64], [1, #, 16, 64], [], [], []"},
	{"aten::native_layer_norm",
		FLOAT ", \"\", " FLOAT ", " FLOAT ", " SCALAR,
		"[1024, w, 1], [], [1], [1], []",
		"[1, #, w], [], [w], [w], []"},
	{"aten::_to_copy", FLOAT ", " SCALAR ", " SCALAR ", " SCALAR,
		"[1024, w, 1], [], [], []", "[1, #, w], [], [], []"},
	{"aten::fill_", FLOAT ", " SCALAR, "[1024, w, 1], []", "[1, #, w], []"},
	{"aten::clone", FLOAT ", " SCALAR, "[1024, w, 1], []", "[1, #, w], []"},
};
static const char *const kernels[] = {
	"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_"
	"warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
	"void at::native::vectorized_elementwise_kernel<4, "
	"at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> "
	">(int, at::native::CUDAFunctor_add<c10::BFloat16>, "
	"std::array<char*, 3ul>)",
	"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_"
	"64x64_64x6_tn_align8>(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_"
	"64x64_64x6_tn_align8::Params)",
	"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel"
	"<c10::BFloat16, float>(int, float, c10::BFloat16 const*, float*)"};
static const char *const files[] = {"torch/nn/modules/module.py",
	"torch/nn/modules/linear.py", "transformers/models/owlv2.py",
	"torch/utils/_contextlib.py"};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Source: SplitMix64, S. Vigna, 2015, public domain. */
static uint64_t mix(uint64_t number)
{
	uint64_t z = number * UINT64_C(0x9e3779b97f4a7c15) +
		     seed * UINT64_C(0xd1342543de82ef95);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static struct op op_of(uint64_t step, uint64_t index)
{
	uint64_t number = step * OPS + index;

	return (struct op){.number = number,
		.kind = mix(step % STEPS * OPS + index),
		.random = mix(number),
		.at_ns =
			START_NS + step * STEP_NS + FIRST_OP_NS + index * OP_NS,
		.tid = PID + (step % 4 == 3)};
}

/* The beginning of a slice, up to its arguments; returns its length. */
static int put_slice(FILE *out, const char *category, unsigned pid,
	unsigned tid, struct span span)
{
	return fprintf(out,
		"    \"ph\": \"X\", \"cat\": \"%s\", \"pid\": %u, \"tid\": "
		"%u,\n"
		"    \"ts\": %" PRIu64 ".%03u, \"dur\": %" PRIu64 ".%03u,\n",
		category, pid, tid, span.at_ns / 1000,
		(unsigned)(span.at_ns % 1000), span.dur_ns / 1000,
		(unsigned)(span.dur_ns % 1000));
}

static int put_function(
	FILE *out, uint64_t id, uint64_t name, unsigned tid, struct span span)
{
	int size = fprintf(out, "  {\n    \"name\": \"%s(%u): f%u\",\n",
		files[name % COUNT(files)], (unsigned)(name % 997),
		(unsigned)(name % 499));

	size += put_slice(out, "python_function", PID, tid, span);
	size += fprintf(out,
		"    \"args\": {\n      \"Python parent id\": %" PRIu64
		", \"Python id\": %" PRIu64 ", \"Ev Idx\": %" PRIu64
		"\n    }\n  },\n",
		id - 1, id, 3 * id);
	return size;
}

/* A list with such texts as its items. */
static int put_list(
	FILE *out, const char *key, const char *text, const struct op *op)
{
	unsigned length = 64 + (unsigned)((op->random >> 20) % lengths);
	unsigned width = 256 * (1 + (unsigned)(op->kind >> 20) % 16);
	int size = fprintf(out, "\"%s\": [", key);

	for (; *text != '\0'; text++) {
		if (*text == '#' || *text == 'w')
			size += fprintf(
				out, "%u", *text == '#' ? length : width);
		else
			size += fprintf(out, "%c", *text);
	}
	return size + fprintf(out, "], ");
}

static int put_op(FILE *out, const struct kind_of_op *kind, const struct op *op,
	struct span span)
{
	int size = fprintf(out, "  {\n    \"name\": \"%s\",\n", kind->name);

	size += put_slice(out, "cpu_op", PID, op->tid, span);
	size += fprintf(out,
		"    \"args\": {\n      \"External id\": %" PRIu64
		", \"Record function id\": 0, "
		"\"Concrete Inputs\": [\"\", \"\", \"False\"], ",
		op->number + 1);
	size += put_list(out, "Input type", kind->types, op);
	size += put_list(out, "Input Strides", kind->strides, op);
	size += put_list(out, "Input Dims", kind->dims, op);
	size += fprintf(
		out, "\"Ev Idx\": %" PRIu64 "\n    }\n  },\n", 2 * op->number);
	return size;
}

static int put_memory(FILE *out, const struct op *op)
{
	uint64_t at_ns = op->at_ns + 2950;

	return fprintf(out,
		"  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", "
		"\"s\": \"t\", \"name\": \"[memory]\",\n"
		"    \"pid\": %u, \"tid\": %u,\n    \"ts\": %" PRIu64 ".%03u,\n"
		"    \"args\": {\n      \"Total Reserved\": 3600809984, "
		"\"Total Allocated\": %" PRIu64 ", \"Bytes\": %s%u, "
		"\"Addr\": %" PRIu64 ", \"Device Id\": 0, \"Device Type\": 1, "
		"\"Ev Idx\": %" PRIu64 "\n    }\n  },\n",
		PID, op->tid, at_ns / 1000, (unsigned)(at_ns % 1000),
		UINT64_C(900000000) + (op->random >> 40),
		op->number % 2 == 0 ? "" : "-",
		512 * (1 + (unsigned)(op->random >> 50)),
		UINT64_C(137278998388736) + op->number / 2 % 999 * 4096,
		op->number);
}

static int put_call(FILE *out, const struct op *op)
{
	struct span span = {op->at_ns + 1000 + op->random % 200, 700};
	int size = fprintf(out, "  {\n    \"name\": \"cudaLaunchKernel\",\n");

	size += put_slice(out, "cuda_runtime", PID, op->tid, span);
	size += fprintf(out,
		"    \"args\": {\n      \"External id\": %" PRIu64
		", \"cbid\": 211, \"correlation\": %" PRIu64 "\n    }\n  },\n",
		op->number + 1, op->number + 400000);
	size += fprintf(out,
		"  {\n    \"ph\": \"s\", \"id\": %" PRIu64
		", \"pid\": %u, \"tid\": %u, \"ts\": %" PRIu64
		".%03u,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  },\n",
		op->number + 400000, PID, op->tid, span.at_ns / 1000,
		(unsigned)(span.at_ns % 1000));
	return size;
}

static int put_kernel(FILE *out, const struct op *op)
{
	struct span span = {op->at_ns + LAUNCH_NS + op->random % 500,
		2000 + op->random % 1400};
	unsigned blocks = 1 + (unsigned)(op->random >> 30 & 1023);
	int size = fprintf(out, "  {\n    \"name\": \"%s\",\n",
		kernels[op->kind % COUNT(kernels)]);

	size += put_slice(out, "kernel", 0, STREAM, span);
	size += fprintf(out,
		"    \"args\": {\n      \"External id\": %" PRIu64
		", \"queued\": 0, \"device\": 0, \"context\": 1, "
		"\"stream\": %u, \"correlation\": %" PRIu64
		", \"registers per thread\": 100, \"shared memory\": 98304, "
		"\"blocks per SM\": %u.121212, \"warps per SM\": %u.484848, "
		"\"grid\": [%u, 2, 1], \"block\": [128, 1, 1], "
		"\"est. achieved occupancy %%\": %u\n    }\n  },\n",
		op->number + 1, STREAM, op->number + 400000, blocks / 8,
		blocks / 2, blocks, blocks % 100);
	size += fprintf(out,
		"  {\n    \"ph\": \"f\", \"id\": %" PRIu64
		", \"pid\": 0, \"tid\": %u, \"ts\": %" PRIu64
		".%03u,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", "
		"\"bp\": \"e\"\n  },\n",
		op->number + 400000, STREAM, span.at_ns / 1000,
		(unsigned)(span.at_ns % 1000));
	return size;
}

/* A thread's events of a step; returns their length. */
static uint64_t put_thread(FILE *out, uint64_t step)
{
	uint64_t id = step * (CALLERS + OPS) + 1;
	uint64_t size = 0;

	for (uint64_t i = 0; i < CALLERS; i++) {
		struct span span = {START_NS + step * STEP_NS + i * CALLER_NS,
			STEP_NS - 1000 - 2 * i * CALLER_NS};

		size += (uint64_t)put_function(out, id++,
			mix(i + step % STEPS) % FUNCTIONS, op_of(step, 0).tid,
			span);
	}
	for (uint64_t i = 0; i < OPS; i++) {
		struct op op = op_of(step, i);
		size_t kind = op.kind % COUNT(outer_ops);
		uint64_t at = op.at_ns;

		size += (uint64_t)put_function(out, id++, op.kind % FUNCTIONS,
			op.tid, (struct span){at, 3600});
		size += (uint64_t)put_op(out, &outer_ops[kind], &op,
			(struct span){at + 100, 3200});
		size += (uint64_t)put_op(out, &inner_ops[kind], &op,
			(struct span){at + 300, 2600});
		size += (uint64_t)put_memory(out, &op);
	}
	return size;
}

/* The device's events of a step; returns their length. */
static uint64_t put_device(FILE *out, uint64_t step)
{
	uint64_t size = 0;

	for (uint64_t i = 0; i < OPS; i++) {
		struct op op = op_of(step, i);

		size += (uint64_t)put_call(out, &op);
		size += (uint64_t)put_kernel(out, &op);
	}
	return size;
}

static void put_trace(FILE *out, uint64_t bytes)
{
	/* The share of bytes for threads; the rest is for the device. */
	uint64_t for_threads = bytes / 100 * 60;
	uint64_t steps = 0;
	uint64_t size = 0;

	fputs("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n"
	      "      \"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3\", "
	      "\"totalGlobalMem\": 84929347584,\n"
	      "      \"computeMajor\": 9, \"computeMinor\": 0,\n"
	      "      \"maxThreadsPerMultiprocessor\": 2048, "
	      "\"regsPerMultiprocessor\": 65536, \"warpSize\": 32,\n"
	      "      \"sharedMemPerMultiprocessor\": 233472, "
	      "\"numSms\": 132\n    }\n  ],\n"
	      "  \"displayTimeUnit\": \"ms\",\n  \"traceEvents\": [\n",
		out);
	while (size < for_threads)
		size += put_thread(out, steps++);
	for (uint64_t step = 0; step < steps; step++)
		(void)put_device(out, step);
	fprintf(out,
		"  {\n    \"name\": \"process_name\", \"ph\": \"M\", "
		"\"ts\": 0, \"pid\": %u, \"tid\": 0,\n    \"args\": {\n"
		"      \"name\": \"python3\"\n    }\n  }\n  ],\n"
		"  \"traceName\": \"made\"\n}\n",
		PID);
}

/* A size such as "10G"; 0 if it is invalid. */
static uint64_t size_of(const char *text)
{
	char *end;
	uint64_t number = strtoull(text, &end, 10);

	switch (*end) {
	case 'G':
		return number << 30;
	case 'M':
		return number << 20;
	case 'K':
		return number << 10;
	default:
		return *end == '\0' ? number : 0;
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"bytes", required_argument, NULL, 'b'},
		{"seed", required_argument, NULL, 's'},
		{"lengths", required_argument, NULL, 'l'},
		{NULL, 0, NULL, 0},
	};
	uint64_t bytes = 1 << 20;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'b')
			bytes = size_of(optarg);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (option == 'l')
			lengths = strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	if (bytes == 0 || lengths == 0 || optind < argc ||
		setvbuf(stdout, NULL, _IOFBF, 1 << 20) != 0)
		return 2;
	put_trace(stdout, bytes);
	return fflush(stdout) != 0 || ferror(stdout) ? 1 : 0;
}
