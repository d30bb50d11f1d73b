// What app.cl imports, and a variable for the host. plain.spv lacks the variable.
#ifndef PLAIN
__global int variable = 7;
#endif

#ifdef __NVPTX__ // postlink keeps what is marked
OFFLINK_EXTERNAL
#endif
int LibDeviceFunc(int i);
int LibDeviceFunc(int i) { return i * 2; }

#ifndef PLAIN
__kernel void add_variable(__global int *out) { out[get_global_id(0)] += variable++; }
#endif
