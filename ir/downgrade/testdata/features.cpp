// A bit of everything that clang writes newer constructs for.
using u64 = unsigned long;
typedef float v4 __attribute__((vector_size(16)));

struct Base {
	virtual ~Base() = default;
	virtual int value(int) const = 0;
	int low : 3;
	unsigned high : 7;
	static constexpr int limit = 7;
	static inline int count = 0;
};

struct Derived : Base {
	int value(int x) const override { return x * low + high + limit; }
};

enum class Kind : unsigned char { one, two };
union Either { int i; float f; };
template <class T, int N> struct Box { T items[N]; };

extern "C" int external(const Base *, Box<int, 4> *, u64);
int *choose(int *a, int *b, unsigned i) { return i < 5 ? a + i : b + (u64)i; }
bool below(unsigned char a, unsigned short b) { return a < b && (a | (b << 8)) > 300; }
v4 scale(v4 a, v4 b, int n) {
	v4 r = a * b + 1.0f;
	for (int i = 0; i < n; i++) r = r * 2.0f + a;
	return r;
}
double convert(double x, float y, unsigned u, int i, _Float16 h) { return x + y + (float)u + i / 3 + (float)h + (_Float16)x; }
int sum(const int *a, int n) {
	int s = 0;
	for (int i = 0; i < n; i++) s += a[i];
	return s;
}
int of(Kind k, Either e) {
	switch (k) {
	case Kind::one: return e.i;
	case Kind::two: return (int)e.f;
	}
	__builtin_unreachable();
}
int update(int *p) {
	int old = __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST), wanted = old;
	__atomic_compare_exchange_n(p, &wanted, 7, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return old + __builtin_popcount(wanted) + __builtin_bitreverse32(old);
}
int run(int n) {
	Derived d;
	Box<int, 4> box{{1, 2, 3, n}};
	auto twice = [&](int x) { return x * 2 + n; };
	try {
		if (__builtin_expect(n > 3, 0)) throw n;
		Base::count += twice(external(&d, &box, sizeof box));
	} catch (int e) {
		return e;
	}
	static int table[] = {4, 5, 6};
	static int *middle = &table[1];
	return sum(box.items, 4) + *middle + of(Kind::two, Either{n});
}
