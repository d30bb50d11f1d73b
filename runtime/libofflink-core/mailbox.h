/* mailbox.h: carries calls from threads of the host program to goroutines. */
#ifndef OFFLINK_MAILBOX_H
#define OFFLINK_MAILBOX_H

#include "core.h"

struct mail {
  struct offlink_call *call;
  struct mail *next;
  int status;
};

/* Waits for a call, which the goroutine then serves. *alone: no other goroutine
 * is waiting, so the next call would find none. Returns NULL where enough others
 * wait: then the goroutine is not needed any more. */
struct mail *offlink_next_mail(int *alone);

/* Lets the caller go on. mail is gone after that. */
void offlink_answer_mail(struct mail *mail, int status);

/* The status of a call that caller.c cannot make. */
enum { OFFLINK_CALL_ELSEWHERE = -1 };

/* Serves a call on this thread, or returns OFFLINK_CALL_ELSEWHERE with nothing
 * done. */
int offlink_serve_here(struct offlink_call *call);

/* Whether this thread may run Go and drivers: its stack has room for them, and is the
 * one in use. */
int offlink_has_room(void);

/* Lets the program's signals in, on a thread whose call is served there. */
void offlink_take_signals(void);

/* callback.c: starts the thread of callbacks if it is not there yet; 0 where that
 * fails. */
int offlink_prepare_callbacks(void);

/* Have the thread call a function: text is from malloc, or NULL. A host function
 * ends the event `ends`, and its handle. user is the program's pointer. */
void offlink_post_on_done(offlink_event_function *function, uintptr_t user, int status, char *text);
void offlink_post_host(offlink_host_function *function, uintptr_t user, offlink_handle ends);

int offlink_core_call(struct offlink_call *call);

#endif
