/* The native side of the hosts: a library with the kernel app. */
#include "torture.h"
__attribute__((visibility("default"))) int run_host(void);
int run_host(void) { return run(); }
__attribute__((visibility("default"))) const char *host_error(void);
const char *host_error(void) { return offlink_error(); }
#ifdef JNI
#include <jni.h>
JNIEXPORT jint JNICALL Java_Host_run(JNIEnv *environment, jclass class) { return run(); }
#endif
