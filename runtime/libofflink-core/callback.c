/* callback.c: functions of the program run on one thread of this library, one
 * after another; it runs no Go of its own accord and blocks the program's signals.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "mailbox.h"

struct callback {
  struct callback *next;
  offlink_event_function *on_done;
  offlink_host_function *host;
  void *user;
  int status;
  char *text;
  offlink_handle ends; /* an event that ends with host */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;
static struct callback *first, **end = &first;
static int running;

static void perform(struct callback *c) {
  if (c->on_done)
    c->on_done(c->user, (offlink_status)c->status, c->text ? c->text : "");
  if (c->host) {
    c->host(c->user);
    offlink_core_call(&(struct offlink_call){.function = OFFLINK_CORE_EVENT_COMPLETE, .object = c->ends});
    offlink_core_call(&(struct offlink_call){.function = OFFLINK_CORE_CLOSE, .object = c->ends});
  }
  free(c->text);
  free(c);
}

static void *run(void *unused) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    while (!first)
      pthread_cond_wait(&arrival, &mutex);
    struct callback *c = first;
    first = c->next;
    if (!first)
      end = &first;
    pthread_mutex_unlock(&mutex);
    perform(c);
  }
  return unused;
}

/* The thread inherits the mask of the one that starts it, which is Go's. */
static int start(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int failed = pthread_create(&thread, &attributes, run, NULL);
  pthread_attr_destroy(&attributes);
  return !failed;
}

int offlink_prepare_callbacks(void) {
  pthread_mutex_lock(&mutex);
  if (!running)
    running = start();
  int ok = running;
  pthread_mutex_unlock(&mutex);
  return ok;
}

static void post(struct callback *c) {
  pthread_mutex_lock(&mutex);
  *end = c;
  end = &c->next;
  pthread_cond_signal(&arrival);
  pthread_mutex_unlock(&mutex);
}

void offlink_post_on_done(offlink_event_function *function, uintptr_t user, int status, char *text) {
  struct callback *c = calloc(1, sizeof *c);
  if (!c)
    abort(); /* a program that waits for the call would wait for ever */
  *c = (struct callback){.on_done = function, .user = (void *)user, .status = status, .text = text};
  post(c);
}

void offlink_post_host(offlink_host_function *function, uintptr_t user, offlink_handle ends) {
  struct callback *c = calloc(1, sizeof *c);
  if (!c)
    abort();
  *c = (struct callback){.host = function, .user = (void *)user, .ends = ends};
  post(c);
}
