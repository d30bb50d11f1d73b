// Host C: what kernels rarely have. Computed jumps, variable arguments, inline
// assembly, aliases, ifuncs, sections, thread-local data, bit fields, atomics.
#include <stdarg.h>
#include <stddef.h>

struct flags { unsigned a : 3, b : 7; signed c : 12; long long d : 40; };
struct node { struct node *next, *other; int (*apply)(struct node *, int); const char *name; };
typedef int (*handler)(int);

static int first(int x) { return x + 1; }
static int second(int x) { return x * 2; }
extern int elsewhere(int);
extern int maybe(int) __attribute__((weak));
int common_variable;
__thread int per_thread = 4;
static __thread int local_thread __attribute__((tls_model("initial-exec")));
const char *const words[] = {"alpha", "be\"ta", "ga\\mma", "\001\002\377", ""};
handler handlers[] = {first, second, elsewhere, 0};
static const handler fixed[2] __attribute__((section("my_section"), used)) = {second, first};
struct node ring[2] = {{&ring[1], &ring[0], 0, "one"}, {&ring[0], 0, 0, "two"}};
volatile int sink __attribute__((aligned(64)));
static int table_of_offsets[3] = {1, -1, 0x7fffffff};
int *middle = &table_of_offsets[1];
_Complex double rotation = 1.0 + 2.0i;
_Bool yes = 1;

int implementation(int x) { return x - 1; }
#if defined(__linux__)
extern int other_name(int) __attribute__((alias("implementation")));
extern int weak_name(int) __attribute__((weak, alias("implementation")));
static handler resolve(void) { return implementation; }
int chosen(int) __attribute__((ifunc("resolve")));
#endif

__attribute__((constructor(200))) static void setup(void) { sink = 3; }
__attribute__((destructor)) static void finish(void) { sink = 0; }
__attribute__((visibility("hidden"))) int hidden(int x) { return x; }
__attribute__((weak)) int weak(int x) { return x; }
__attribute__((cold, noreturn)) void stop(void) { for (;;) sink++; }

int interpret(const unsigned char *code, int x) {
  static void *const jump[] = {&&add, &&sub, &&twice, &&done};
  goto *jump[*code++ & 3];
add:
  x++;
  goto *jump[*code++ & 3];
sub:
  x--;
  goto *jump[*code++ & 3];
twice:
  x *= 2;
  goto *jump[*code++ & 3];
done:
  return x;
}

int total(int n, ...) {
  va_list list;
  int sum = 0;
  va_start(list, n);
  while (n-- > 0)
    sum += va_arg(list, int);
  va_end(list);
  return sum;
}

int machine(int x) {
  int r;
  __asm__ volatile("movl %1, %0\n\t# comment \"quoted\" } %%" : "=r"(r) : "r"(x) : "memory", "cc");
  return r;
}

__asm__(".globl from_assembly\nfrom_assembly:\n\t.byte 34, 123");

int run(struct node *n, int x, handler h) {
  struct flags f = {.a = 5, .b = x, .c = -3, .d = 1LL << 35};
  int vla[x & 15];
  for (int i = 0; i < (x & 15); i++)
    vla[i] = i * x;
  x += h ? h(vla[0]) : handlers[x & 1](x);
  if (maybe)
    x += maybe(x);
  if (n && n->apply)
    x += n->apply(n, f.b + f.a + (int)f.d);
  per_thread += local_thread++;
  x += words[x & 3][0] + fixed[x & 1](x) + *middle;
  __atomic_fetch_add(&common_variable, x, __ATOMIC_SEQ_CST);
  int want = 3;
  if (__atomic_compare_exchange_n(&common_variable, &want, x, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  rotation *= rotation;
  return total(3, x, hidden(x), weak(want)) + machine(x) + (yes ? ring[0].next->name[0] : 0);
}
