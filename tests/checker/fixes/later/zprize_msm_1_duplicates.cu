// broken: WAR values of the next round overwrite those that other threads still compare with their own
// fixed: clean
// launch: 2x64
// source: https://github.com/yelhousni/zprize-GPU-MSM-harness/pull/1
// Written anew after the thread: no code of it.
// In each round, all threads post a value in shared memory, and count which of the threads before them have the same one. There is one
// barrier per round. The request slows threads down, and the kernel hangs.
// The fix: a second barrier behind the comparison.
// Left out: the buckets of the points of a curve, the end of the loop.
constexpr int ROUNDS = 2;

__global__ void pippenger(const unsigned *scalars, unsigned *duplicates) {
    __shared__ unsigned values[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    unsigned scalar = scalars[i], count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned value = scalar >> (4 * round) & 15;
        values[t] = value;  // later
        __syncthreads();
        for (int other = 0; other < t; other++) count += values[other] == value;  // earlier
#ifdef FIXED
        __syncthreads();
#endif
    }
    duplicates[i] = count;
}
