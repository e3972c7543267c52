// The sum of a warp through shared memory, with lockstep instead of barriers.
extern "C" __global__ void broken(const int* values, int* result, int) {
    extern __shared__ int memory[];
    volatile int* sums = memory;
    const int me = threadIdx.x, lane = me & 31;
    sums[me] = values[me];  // writes
    if (lane < 16) sums[me] += sums[me + 16];  // reads
    if (lane < 8) sums[me] += sums[me + 8];
    if (lane < 4) sums[me] += sums[me + 4];
    if (lane < 2) sums[me] += sums[me + 2];
    if (lane < 1) sums[me] += sums[me + 1];
    result[me] = sums[me & ~31];
}

extern "C" __global__ void fixed(const int* values, int* result, int) {
    extern __shared__ int memory[];
    volatile int* sums = memory;
    const int me = threadIdx.x, lane = me & 31;
    int sum = values[me];
    for (int distance = 16; distance > 0; distance /= 2) {
        sums[me] = sum;
        __syncwarp();
        if (lane < distance) sum += sums[me + distance];
        __syncwarp();
    }
    if (lane == 0) sums[me] = sum;
    __syncwarp();
    result[me] = sums[me & ~31];
}
