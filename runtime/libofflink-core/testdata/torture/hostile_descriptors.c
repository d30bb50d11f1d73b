/* Descriptors with pointers to nowhere, counts beyond reason, and no images:
 * they are errors of the use of their kernels, and others stay usable. */
#include <sys/mman.h>
#include "torture.h"
extern void __sycl_register_lib(void *);
extern void __sycl_unregister_lib(void *);
int main(void) {
  /* The start of a descriptor: version, number of images, address of the
   * images, entries. The page after it is not readable. */
  char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(page + 4096, 4096, PROT_NONE);
  struct {
    uint16_t version, count;
    void *images, *begin, *end;
  } cases[] = {
      {1, 1, (void *)8, NULL, NULL},
      {1, 65535, page, NULL, NULL},
      {1, 1, page + 4096, NULL, NULL},
      {1, 1, page + 4090, NULL, NULL},
      {99, 1, page, NULL, NULL},
      {1, 0, NULL, NULL, NULL},
      {1, 1, (void *)-8, (void *)-1, (void *)1},
  };
  for (int fill = 0; fill < 256; fill += 85) {
    memset(page, fill, 4096);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      __sycl_register_lib(&cases[i]);
    must_run("with hostile descriptors");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      __sycl_unregister_lib(&cases[i]);
  }
  __sycl_register_lib(NULL);
  __sycl_unregister_lib(NULL);
  __sycl_unregister_lib(cases);
  must_run("afterwards");
  return 0;
}
