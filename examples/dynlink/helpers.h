/* Host functions of libhelpers.so. */
#ifndef HELPERS_H
#define HELPERS_H

#include <stddef.h>
#include <stdint.h>

/* Prints the numbers on one line. */
void print_numbers(const int32_t *numbers, size_t count);

#endif
