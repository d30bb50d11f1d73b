/* error.c: the error text of each thread; it is freed when the thread ends. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "shim.h"

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static void make_key(void) { pthread_key_create(&key, free); }

offlink_status offlink_fail_text(offlink_status status, char *text) {
  pthread_once(&key_once, make_key);
  /* Each thread has the text of its own last failure; the library's functions
   * return it by pointer, valid until the next failure. */
  free(pthread_getspecific(key));
  pthread_setspecific(key, text);
  return status;
}

offlink_status offlink_fail(offlink_status status, const char *format, ...) {
  char *text = NULL;
  va_list values;
  va_start(values, format);
  int length = vsnprintf(NULL, 0, format, values);
  va_end(values);
  if (length >= 0 && (text = malloc(length + 1))) {
    va_start(values, format);
    vsnprintf(text, length + 1, format, values);
    va_end(values);
  }
  return offlink_fail_text(status, text);
}

OFFLINK_EXPORT const char *offlink_error(void) {
  pthread_once(&key_once, make_key);
  const char *text = pthread_getspecific(key);
  return text ? text : "";
}
