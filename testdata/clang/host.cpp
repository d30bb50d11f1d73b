// Host C++: exceptions, virtual functions, comdats, guards, thread-local data.
extern "C" int printf(const char *, ...);

struct Error { int code; };
struct Resource {
  static int live;
  Resource() { live++; }
  ~Resource() { live--; }
};
int Resource::live = 0;

struct Shape {
  virtual ~Shape() {}
  virtual double area() const = 0;
  virtual int sides() const { return 0; }
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
  int sides() const override { return 4; }
};
struct Circle : virtual Shape {
  double radius = 1;
  double area() const override { return 3.14159265358979 * radius * radius; }
};

inline int counter() { static int n = 0; return ++n; }
inline Resource &shared() { static Resource r; return r; }
template <typename T> T &slot() { thread_local T value{}; return value; }
template <typename T> T largest(T a, T b) { return a < b ? b : a; }
namespace { int hidden = 3; int helper(int x) { return x + hidden; } }

int risky(int x) {
  Resource guard;
  if (x < 0)
    throw Error{x};
  if (x == 1)
    throw 1.5;
  return helper(x);
}

int careful(int x) {
  try {
    Resource outer;
    return risky(x) + counter();
  } catch (const Error &e) {
    return e.code;
  } catch (double) {
    shared();
    try {
      return risky(x - 2);
    } catch (...) {
      return -1;
    }
  }
}

int noThrow(int x) noexcept { return risky(x); }

double measure(const Shape *s, bool square) {
  Square q(2);
  Circle c;
  const Shape *all[] = {s, &q, &c};
  double sum = 0;
  for (const Shape *each : all)
    sum += each->area() * each->sides();
  auto add = [&](double by) { sum += by; };
  add(slot<int>()++);
  return largest(sum, square ? q.area() : c.area()) + (dynamic_cast<const Square *>(s) != nullptr);
}

using Method = int (Square::*)() const;
Method method = &Square::sides;
int Error::*member = &Error::code;
