/* mailbox.c: offlink_core_call. A call that may take long goes into a queue, and
 * its thread waits in C while a goroutine takes it out and serves it.
 *
 * So the thread runs no Go: not on a goroutine's stack, where its signal
 * handlers could not run, and without Go's runtime changing its signal mask and
 * signal stack. Calls that are expected to be short are made by caller.c, and those
 * that need nothing but a driver by direct.c.
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "direct.h"
#include "mailbox.h"

/* Goroutines that wait for calls, each with a thread, so many are kept. */
enum { MAX_WAITING = 4 };

struct letter {
  struct mail mail; /* first: a pointer to it is one to the letter */
  int answered;
  pthread_cond_t answer;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;
static struct mail *first, **end = &first;
static int waiting;
static int queued, looking; /* calls in the queue, and goroutines that look for one */

/* A thread looks for a moment before it sleeps: a call that takes as long as
 * waking a thread would take twice as long otherwise. On one processor nothing
 * can happen meanwhile. */
enum { LOOKS = 400 };
static int looks;

__attribute__((constructor)) static void count_processors(void) {
  looks = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? LOOKS : 0;
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

__attribute__((visibility("default"))) int offlink_core_call(struct offlink_call *call) {
  int status = offlink_serve_direct(call);
  if (status != OFFLINK_CALL_ELSEWHERE)
    return status;
  if (call->quick) {
    status = offlink_serve_here(call);
    if (status != OFFLINK_CALL_ELSEWHERE)
      return status;
  }
  call->here = 0;
  struct letter letter = {.mail = {.call = call}, .answer = PTHREAD_COND_INITIALIZER};
  int cancel;
  /* The letter lies on this stack: the thread must not be cancelled in a wait. */
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  pthread_mutex_lock(&mutex);
  __atomic_store_n(end, &letter.mail, __ATOMIC_RELAXED); /* first may be looked at */
  end = &letter.mail.next;
  if (++queued > looking)
    pthread_cond_signal(&arrival);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < looks && !__atomic_load_n(&letter.answered, __ATOMIC_RELAXED); i++)
    relax();
  pthread_mutex_lock(&mutex);
  while (!letter.answered)
    pthread_cond_wait(&letter.answer, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_cond_destroy(&letter.answer);
  pthread_setcancelstate(cancel, NULL);
  return letter.mail.status;
}

/* Called with the mutex held, which it lets go of. */
static void look_for_mail(void) {
  looking++;
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < looks && !__atomic_load_n(&first, __ATOMIC_RELAXED); i++)
    relax();
  pthread_mutex_lock(&mutex);
  looking--;
}

struct mail *offlink_next_mail(int *alone) {
  struct mail *mail = NULL;
  pthread_mutex_lock(&mutex);
  if (first || waiting < MAX_WAITING) {
    waiting++;
    if (!first)
      look_for_mail();
    while (!first)
      pthread_cond_wait(&arrival, &mutex);
    waiting--;
    queued--;
    mail = first;
    __atomic_store_n(&first, mail->next, __ATOMIC_RELAXED); /* others may look at it */
    if (!first)
      end = &first;
    *alone = waiting == 0;
  }
  pthread_mutex_unlock(&mutex);
  return mail;
}

void offlink_answer_mail(struct mail *mail, int status) {
  struct letter *letter = (struct letter *)mail;
  pthread_mutex_lock(&mutex);
  mail->status = status;
  __atomic_store_n(&letter->answered, 1, __ATOMIC_RELAXED);
  pthread_cond_signal(&letter->answer); /* under the mutex, which the caller needs to go on */
  pthread_mutex_unlock(&mutex);
}
