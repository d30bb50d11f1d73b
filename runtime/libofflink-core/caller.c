/* caller.c: short calls, on the thread of the host program that makes them.
 *
 * Handing a call to another thread costs two switches, many times the cost of
 * launching a small kernel. Here Go runs on the caller's thread, with
 * the program's signals blocked: no handler can run on a goroutine's stack,
 * whatever flags it was installed with. Faults, which cannot be blocked, get a
 * signal stack. A call that turns out long comes by offlink_take_signals now
 * and then, which lets the handlers run, on the thread's own stack; for calls
 * that are in a driver's hands a thread of this library stands in (watch).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "mailbox.h"

int offlinkServeCall(struct offlink_call *call); /* calls.go */

/* The part of the caller's stack that Go may use: its runtime works there, goroutines
 * have their own. */
enum { STACK_NEEDED = 1 << 17, SIGNAL_STACK = 1 << 16 };

/* The state of one thread. */
struct caller {
  struct caller *previous, *next; /* in the list of all */
  unsigned long calls;            /* counts beginnings and ends: odd during a call */
  unsigned long seen;             /* calls, when watch last looked */
  char *stack; /* the lowest address of the thread's stack */
  char *stack_end;
  stack_t signal_stack;
  sigset_t program_mask;
  stack_t program_stack;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sigset_t blocked;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the list, and of watching */
static pthread_cond_t activity = PTHREAD_COND_INITIALIZER;
static struct caller *callers;
static int watching, idle; /* there is a watch; it sleeps until a call begins */

static void free_caller(void *value) {
  struct caller *c = value;
  pthread_mutex_lock(&mutex);
  *(c->previous ? &c->previous->next : &callers) = c->next;
  if (c->next)
    c->next->previous = c->previous;
  pthread_mutex_unlock(&mutex);
  free(c->signal_stack.ss_sp);
  free(c);
}

/* The watch does not exist in the child, where no call is made; threads end. */
static void after_fork(void) { pthread_mutex_init(&mutex, NULL); }

static void initialize(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  pthread_key_create(&key, free_caller);
  pthread_atfork(NULL, NULL, after_fork);
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&blocked, faults[i]);
}

enum { TICK = 5000000, TURN = 1000000 }; /* nanoseconds */

static void pause_for(long nanoseconds) { nanosleep(&(struct timespec){0, nanoseconds}, NULL); }

/* Looks at every caller. active: one has begun or ended a call since the last
 * look, or is in one. Returns whether one is in the same call as then, with the
 * mask of its thread. */
static int find_long_call(sigset_t *mask, int *active) {
  int found = 0;
  *active = 0;
  for (struct caller *c = callers; c; c = c->next) {
    unsigned long calls = __atomic_load_n(&c->calls, __ATOMIC_ACQUIRE);
    if (calls % 2 && calls == c->seen) {
      found = 1;
      *mask = c->program_mask;
    }
    *active |= calls % 2 || calls != c->seen;
    c->seen = calls;
  }
  return found;
}

/* Stands in for threads whose calls take long: while there is one, signals for the
 * process are delivered here, as its thread would take them. It looks 200 times
 * a second while calls are made, and sleeps when none are. */
static void *watch(void *unused) {
  sigset_t mask;
  int active;
  for (;;) {
    pthread_mutex_lock(&mutex);
    int found = find_long_call(&mask, &active);
    while (!active) {
      __atomic_store_n(&idle, 1, __ATOMIC_SEQ_CST);
      find_long_call(&mask, &active); /* a call that began before idle was set */
      if (!active)
        pthread_cond_wait(&activity, &mutex);
      __atomic_store_n(&idle, 0, __ATOMIC_SEQ_CST);
      active = 1;
    }
    pthread_mutex_unlock(&mutex);
    if (found)
      pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pause_for(found ? TURN : TICK);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
  }
  return unused;
}

/* Called with signals blocked, which the thread inherits. */
static void start_watch(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  if (!watching) {
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    watching = !pthread_create(&thread, &attributes, watch, NULL);
    pthread_attr_destroy(&attributes);
  }
  pthread_mutex_unlock(&mutex);
}

static void wake_watch(void) {
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&activity);
  pthread_mutex_unlock(&mutex);
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
    free(c->signal_stack.ss_sp);
    free(c);
    return NULL;
  }
  if (!pthread_attr_getstack(&attributes, &stack, &size)) {
    c->stack = stack;
    c->stack_end = c->stack + size;
  }
  pthread_attr_destroy(&attributes);
  pthread_setspecific(key, c);
  pthread_mutex_lock(&mutex);
  c->next = callers;
  if (callers)
    callers->previous = c;
  callers = c;
  pthread_mutex_unlock(&mutex);
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

int offlink_has_room(void) { return find_caller() != NULL; }

static void enter(struct caller *c) {
  pthread_sigmask(SIG_SETMASK, &blocked, &c->program_mask);
  sigaltstack(&c->signal_stack, &c->program_stack);
  __atomic_add_fetch(&c->calls, 1, __ATOMIC_SEQ_CST);
}

static void leave(struct caller *c) {
  __atomic_add_fetch(&c->calls, 1, __ATOMIC_SEQ_CST);
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
  if (call->watched) {
    if (!__atomic_load_n(&watching, __ATOMIC_ACQUIRE))
      start_watch();
    if (__atomic_load_n(&idle, __ATOMIC_SEQ_CST))
      wake_watch();
  }
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
