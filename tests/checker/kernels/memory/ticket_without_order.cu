// sound
// launch: 2x64

__device__ int next;

// The tickets depend on the schedule, the flags that they select do not.
__global__ void k(const int *in, int *out) {
    int ticket = atomicAdd(&next, 1);
    out[ticket] = in[0] == in[0];
}
