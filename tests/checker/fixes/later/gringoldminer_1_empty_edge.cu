// broken: threads with an empty edge continue with the next one, past barriers that others of their warp execute
// fixed: clean
// launch: 2x64
// source: https://github.com/mozkomor/GrinGoldMiner/issues/1
// Written anew after the thread: no code of it.
// In a loop over edges, a thread continues if its edge is empty, before the barriers of that round.
// The fix: no such continue (an empty edge is not counted here).
// Left out: buckets in global memory, hashes; every 16th edge is empty.
constexpr int ROUNDS = 2;

__global__ void trim(const unsigned *edges, unsigned *result) {
    __shared__ unsigned counts[64];
    int t = threadIdx.x;
    unsigned sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned edge = edges[(blockIdx.x * ROUNDS + round) * 64 + t];
        bool empty = (t + round) % 16 == 0;
#ifndef FIXED
        if (empty) continue;
#endif
        counts[t] = empty ? 0 : edge % 8;
        __syncthreads();  // later
        sum += counts[63 - t];
        __syncthreads();
    }
    result[blockIdx.x * 64 + t] = sum;
}
