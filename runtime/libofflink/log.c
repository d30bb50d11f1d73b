/* log.c: warnings of the core go to the program's function, or to standard
 * error. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

static void print_warning(void *user, const char *message) {
  (void)user;
  fprintf(stderr, "libofflink: warning: %s\n", message);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static offlink_log_function *log_function = print_warning;
static void *log_user;

OFFLINK_EXPORT void offlink_log_to(offlink_log_function *function, void *user) {
  pthread_mutex_lock(&mutex);
  log_function = function;
  log_user = user;
  pthread_mutex_unlock(&mutex);
}

void offlink_log(char *warnings) {
  if (!warnings)
    return;
  pthread_mutex_lock(&mutex);
  /* Called without the lock: the program's function may call the library. */
  offlink_log_function *function = log_function;
  void *user = log_user;
  pthread_mutex_unlock(&mutex);
  for (char *w = warnings; function && *w; w += strlen(w) + 1)
    function(user, w);
  free(warnings);
}
