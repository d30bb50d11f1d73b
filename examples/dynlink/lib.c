/* Host code of libhelpers.so. */
#include <stdio.h>

#include "helpers.h"

void print_numbers(const int32_t *numbers, size_t count) {
  for (size_t i = 0; i < count; i++)
    printf("%s%d", i ? " " : "", numbers[i]);
  putchar('\n');
}
