/* Writes a picture of w * h pixels, 3 bytes each, as PNG. 0 is success. */
int write_png(const char *path, int w, int h, const unsigned char *pixels);
