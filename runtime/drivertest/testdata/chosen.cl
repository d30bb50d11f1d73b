// Functions that kernels of pointers.cl call through pointers.
int twice(int i) { return 2 * i; }
int square(int i) { return i * i; }
