// One warp keeps the positive values of many tiles, packed together: three faults, and the correct kernel.
constexpr unsigned ALL = 0xffffffffu;
constexpr unsigned NONE = 0xffffffffu;

// Lanes without a value to fetch leave before a shuffle that names them.
extern "C" __global__ void skips_the_shuffle(const int* values, int* result, int tiles) {
    const int lane = threadIdx.x;
    int kept = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        const int x = values[tile * 32 + lane];
        const unsigned mask = __ballot_sync(ALL, x > 0);  // waits
        const unsigned source = __fns(mask, 0, lane + 1);
        const int start = kept;
        kept += __popc(mask);
        if (source == NONE) continue;
        result[start + lane] = __shfl_sync(ALL, x, source);  // shuffles
    }
}

// The n-th set bit is counted from 1, so lane 0 looks for no bit, and every other lane for the bit of its left neighbor.
extern "C" __global__ void off_by_one(const int* values, int* result, int tiles) {
    const int lane = threadIdx.x;
    int kept = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        const int x = values[tile * 32 + lane];
        const unsigned mask = __ballot_sync(ALL, x > 0);
        const unsigned source = __fns(mask, 0, lane);  // counts
        const int y = __shfl_sync(ALL, x, source & 31);
        if (source != NONE) result[kept + lane] = y;
        kept += __popc(mask);
    }
}

// Only lane 0 advances in the result; the others write every tile to the same place.
extern "C" __global__ void moves_lane_0_only(const int* values, int* result, int tiles) {
    const int lane = threadIdx.x;
    int kept = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        const int x = values[tile * 32 + lane];
        const unsigned mask = __ballot_sync(ALL, x > 0);
        const unsigned source = __fns(mask, 0, lane + 1);
        const int y = __shfl_sync(ALL, x, source & 31);
        if (source != NONE) result[kept + lane] = y;
        if (lane == 0) kept += __popc(mask);  // advances
    }
}

extern "C" __global__ void fixed(const int* values, int* result, int tiles) {
    const int lane = threadIdx.x;
    int kept = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        const int x = values[tile * 32 + lane];
        const unsigned mask = __ballot_sync(ALL, x > 0);
        const unsigned source = __fns(mask, 0, lane + 1);
        const int y = __shfl_sync(ALL, x, source & 31);
        if (source != NONE) result[kept + lane] = y;
        kept += __popc(mask);
    }
}
