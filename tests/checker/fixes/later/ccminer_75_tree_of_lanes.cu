// broken: RAW lanes of a tree read what a lane above them has stored, with no __syncwarp() between
// fixed: clean
// launch: 2x32
// source: https://github.com/tpruvot/ccminer/pull/75
// Written anew after the thread: no code of it.
// A solution is a tree, which a warp expands in shared memory: every 8th lane reads its node and stores a second one four lanes on, then
// every 4th lane does so, and so on.
// The fix: __syncwarp() behind each level (as the request proposes).
// Left out: Equihash, the slots of the trees.
__global__ void last_digit(const unsigned *pairs, unsigned *indices) {
    __shared__ unsigned nodes[32];
    int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
    if (lane % 16 == 0) {
        nodes[lane] = pairs[i];
        nodes[lane + 8] = pairs[i] * 3;
    }
#ifdef FIXED
    __syncwarp();
#endif
    for (int step = 8; step > 1; step /= 2) {
        if (lane % step == 0) {
            unsigned own = nodes[lane];  // later
            nodes[lane + step / 2] = own * 5 + step;  // earlier
        }
#ifdef FIXED
        __syncwarp();
#endif
    }
    indices[i] = nodes[lane];
}
