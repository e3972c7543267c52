// An exchange with one barrier: nothing keeps a fast lane from overwriting the slot that its neighbour still has to read.
extern "C" __global__ void broken(const int* values, int* result, int trips) {
    extern __shared__ int slots[];
    const int me = threadIdx.x, neighbour = (me & ~31) | ((me + 1) & 31);
    int x = values[me];
    for (int trip = 0; trip < trips; ++trip) {
        slots[me] = x;  // overwrites
        __syncthreads();
        x = slots[neighbour];  // reads
    }
    result[me] = x;
}

extern "C" __global__ void mended(const int* values, int* result, int trips) {
    extern __shared__ int slots[];
    const int me = threadIdx.x, neighbour = (me & ~31) | ((me + 1) & 31);
    int x = values[me];
    for (int trip = 0; trip < trips; ++trip) {
        slots[me] = x;
        __syncthreads();
        x = slots[neighbour];
        __syncthreads();
    }
    result[me] = x;
}
