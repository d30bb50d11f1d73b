// Functions that the test of package dl calls.
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Each argument weighs its place, so that a mixed-up order shows.
intptr_t sum(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g,
             intptr_t h, intptr_t i, intptr_t j, intptr_t k, intptr_t l) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l;
}

void negate(signed char *data, size_t n) {
  while (n-- > 0) data[n] = (signed char)-data[n];
}

const char *greet(void) { return "good day"; }

size_t length(const char *s) { return strlen(s); }

typedef uintptr_t (*callback)(uintptr_t);
struct call {
  callback f;
  uintptr_t value;
};

static void *run(void *arg) {
  struct call *c = arg;
  c->value = c->f(c->value);
  return NULL;
}

uintptr_t on_thread(callback f, uintptr_t value) {
  struct call c = {f, value};
  pthread_t thread;
  pthread_create(&thread, NULL, run, &c);
  pthread_join(thread, NULL);
  return c.value;
}

static void stop(int number) {
  (void)number;
  abort();
}

void take_signals(void) {
  signal(SIGFPE, stop);
  signal(SIGSEGV, stop);
  signal(SIGUSR2, stop);
}
