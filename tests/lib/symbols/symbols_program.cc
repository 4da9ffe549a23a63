// SPDX-License-Identifier: MIT
// Functions of all kinds, each on its own line, for
// tests/lib/symbols/symbols.sh.
#include <cstdio>

#define NOINLINE __attribute__((noinline))

namespace {
NOINLINE int hidden(int x) { return x * 3; }
struct Local {
	int value;
	NOINLINE int get() const { return value + 1; }
};
} // namespace

namespace ns {
template <class T> struct Box {
	T value;
	NOINLINE Box operator+(const Box &other) const { return {T(value + other.value)}; }
};
template <class T> NOINLINE T twice(T x) { return x + x; }
struct Class {
	NOINLINE explicit Class(int x) : value(x) { std::puts("made"); }
	NOINLINE virtual ~Class() { std::puts("gone"); }
	NOINLINE virtual int method(int x);
	NOINLINE int operator()(int x) { return value * x; }
	NOINLINE explicit operator bool() const { return value != 0; }
	NOINLINE static int count(int);
	int value;
};
NOINLINE int Class::method(int x) { return x + value; }
NOINLINE int Class::count(int x) { return x - 1; }
NOINLINE bool operator<(const Class &a, const Class &b) { return a.value < b.value; }
struct Early {
	NOINLINE Early() { std::puts("early"); }
} early;
} // namespace ns

extern "C" NOINLINE int plain(int x) { return x + 4; }
extern "C" __attribute__((weak)) NOINLINE int weak_one(int x) { return x + 5; }

// gcc makes a copy of this without the second parameter.
static NOINLINE int copied(int x, int unused) { return x > 100 ? std::puts("big") : x; }

static NOINLINE int work(int argc) {
	const int numbers[] = {argc, 2, 3};
	auto small = [&](int x) { return x < argc; };
	auto next = [](auto x) { return x + 1; };
	struct Inner {
		NOINLINE int go(int x) { return x + 7; }
	} inner;
	ns::Class a(argc), b(2);
	int sum = a.method(1) + a(2) + ns::Class::count(3) + bool(a) + (a < b);

	for (int number : numbers)
		sum += small(number);
	sum += plain(2) + weak_one(3) + copied(argc, 9) + inner.go(3);
	sum += next(3) + static_cast<int>(next(2.0));
	sum += hidden(sum) + Local{sum}.get() + ns::twice(sum);
	return sum + ns::twice(ns::Box<char>{3}).value;
}

int main(int argc, char **) { return work(argc) == 0; }
