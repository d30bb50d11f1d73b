// What the embedded device refuses, in one function that a kernel uses and in
// one that none does.
kernel void reads_pipe(read_only pipe int from, global int *out) {
  read_pipe(from, out);
}
