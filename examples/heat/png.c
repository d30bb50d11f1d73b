/* png.c: PNG without compression: the zlib stream has stored blocks, one a row. */
#include "png.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t crc(uint32_t sum, const unsigned char *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    sum ^= data[i];
    for (int bit = 0; bit < 8; bit++)
      sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
  }
  return sum;
}

static unsigned char *put32(unsigned char *to, uint32_t v) {
  for (int shift = 24; shift >= 0; shift -= 8)
    *to++ = v >> shift;
  return to;
}

static void write_chunk(FILE *file, const char *type, const unsigned char *data, size_t size) {
  unsigned char head[8], tail[4];
  memcpy(put32(head, (uint32_t)size), type, 4);
  put32(tail, ~crc(crc(~0u, head + 4, 4), data, size));
  fwrite(head, 1, sizeof head, file);
  fwrite(data, 1, size, file);
  fwrite(tail, 1, sizeof tail, file);
}

/* The rows, each after a byte 0 (no filter), as stored blocks of deflate. */
static unsigned char *pack(int w, int h, const unsigned char *pixels, size_t *size) {
  size_t row = 3 * (size_t)w + 1;
  unsigned char *all = malloc(2 + h * (row + 5) + 4), *to = all;
  uint32_t a = 1, b = 0; /* Adler-32 */
  if (!all)
    return NULL;
  *to++ = 0x78, *to++ = 0x01;
  for (int y = 0; y < h; y++) {
    *to++ = y == h - 1;
    *to++ = row & 0xff, *to++ = row >> 8, *to++ = ~row & 0xff, *to++ = ~row >> 8 & 0xff;
    *to = 0;
    memcpy(to + 1, pixels + 3 * (size_t)w * y, row - 1);
    for (size_t i = 0; i < row; i++) {
      a = (a + to[i]) % 65521;
      b = (b + a) % 65521;
    }
    to += row;
  }
  to = put32(to, b << 16 | a);
  *size = to - all;
  return all;
}

int write_png(const char *path, int w, int h, const unsigned char *pixels) {
  size_t size;
  unsigned char *data = pack(w, h, pixels, &size), header[13];
  FILE *file = fopen(path, "wb");
  int failed = !data || !file;
  if (!failed) {
    memcpy(put32(put32(header, w), h), (unsigned char[]){8, 2, 0, 0, 0}, 5); /* 8 bits, RGB */
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
    write_chunk(file, "IHDR", header, sizeof header);
    write_chunk(file, "IDAT", data, size);
    write_chunk(file, "IEND", NULL, 0);
    failed = ferror(file);
  }
  if (file)
    failed |= fclose(file) != 0;
  free(data);
  return failed;
}
