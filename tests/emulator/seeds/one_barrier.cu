// An exchange with one barrier: a fast lane can overwrite the slot that its neighbor still has to read.
extern "C" __global__ void broken(const int* values, int* result, int iterations) {
    extern __shared__ int slots[];
    const int me = threadIdx.x, neighbor = (me & ~31) | ((me + 1) & 31);
    int x = values[me];
    for (int i = 0; i < iterations; ++i) {
        slots[me] = x;  // overwrites
        __syncthreads();
        x = slots[neighbor];  // reads
    }
    result[me] = x;
}

extern "C" __global__ void fixed(const int* values, int* result, int iterations) {
    extern __shared__ int slots[];
    const int me = threadIdx.x, neighbor = (me & ~31) | ((me + 1) & 31);
    int x = values[me];
    for (int i = 0; i < iterations; ++i) {
        slots[me] = x;
        __syncthreads();
        x = slots[neighbor];
        __syncthreads();
    }
    result[me] = x;
}
