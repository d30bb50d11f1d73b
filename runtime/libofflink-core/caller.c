/* caller.c: short calls, on the thread of the host program that makes them.
 *
 * Handing a call to another thread costs two switches, which is many times what
 * the launch of a small kernel takes. Here Go runs on the caller's thread, with
 * the program's signals blocked: no handler can run on a goroutine's stack,
 * whatever flags it was installed with. Faults, which cannot be blocked, get a
 * signal stack. A call that turns out long comes by offlink_take_signals now
 * and then, which lets the handlers run, on the thread's own stack.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "mailbox.h"

int offlinkServeCall(struct offlink_call *call); /* calls.go */

/* What Go may use of the caller's stack: its runtime works there, goroutines
 * have their own. */
enum { STACK_NEEDED = 1 << 17, SIGNAL_STACK = 1 << 16 };

/* What is known of one thread. */
struct caller {
  char *stack; /* the lowest address of the thread's stack */
  char *stack_end;
  stack_t signal_stack;
  sigset_t program_mask;
  stack_t program_stack;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sigset_t blocked;

static void free_caller(void *value) {
  struct caller *c = value;
  free(c->signal_stack.ss_sp);
  free(c);
}

static void initialize(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  pthread_key_create(&key, free_caller);
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&blocked, faults[i]);
}

static struct caller *new_caller(void) {
  pthread_attr_t attributes;
  void *stack;
  size_t size;
  struct caller *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->signal_stack = (stack_t){.ss_sp = malloc(SIGNAL_STACK), .ss_size = SIGNAL_STACK};
  if (!c->signal_stack.ss_sp || pthread_getattr_np(pthread_self(), &attributes)) {
    free_caller(c);
    return NULL;
  }
  if (!pthread_attr_getstack(&attributes, &stack, &size)) {
    c->stack = stack;
    c->stack_end = c->stack + size;
  }
  pthread_attr_destroy(&attributes);
  pthread_setspecific(key, c);
  return c;
}

/* The caller's thread, NULL where Go cannot run on it: its stack is small, or
 * the stack in use is not the thread's but a fiber's or a signal handler's. */
static struct caller *find_caller(void) {
  pthread_once(&once, initialize);
  struct caller *c = pthread_getspecific(key);
  if (!c)
    c = new_caller();
  char *here = __builtin_frame_address(0);
  return c && here < c->stack_end && here - c->stack > STACK_NEEDED ? c : NULL;
}

static void enter(struct caller *c) {
  pthread_sigmask(SIG_SETMASK, &blocked, &c->program_mask);
  sigaltstack(&c->signal_stack, &c->program_stack);
}

static void leave(struct caller *c) {
  sigaltstack(&c->program_stack, NULL);
  pthread_sigmask(SIG_SETMASK, &c->program_mask, NULL);
}

int offlink_serve_here(struct offlink_call *call) {
  struct caller *c = find_caller();
  if (!c)
    return OFFLINK_CALL_ELSEWHERE;
  int cancel;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  enter(c);
  call->here = 1;
  int status = offlinkServeCall(call);
  leave(c);
  pthread_setcancelstate(cancel, NULL);
  return status;
}

void offlink_take_signals(void) {
  struct caller *c = pthread_getspecific(key);
  leave(c);
  enter(c);
}
