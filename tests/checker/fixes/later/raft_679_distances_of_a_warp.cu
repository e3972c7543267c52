// broken: RAW lanes load distances from shared memory that other lanes have stored, with no __syncwarp() between
// fixed: clean
// launch: 2x64
// source: https://github.com/NVIDIA/raft/pull/679 (issue 676)
// Written anew after the thread: no code of it.
// Eight lanes of a warp store four distances each, and then each lane takes one of them for its queue of neighbors.
// The fix: __syncwarp() between both.
// Left out: the matrix product, the queues, keys.
constexpr int PER_LANE = 4;

__global__ void nearest(const float *distances, float *queues) {
    __shared__ float of_warp[2][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * 64 + threadIdx.x;
    if (lane < 32 / PER_LANE) {
        float own = distances[i];
        for (int k = 0; k < PER_LANE; k++) of_warp[warp][lane * PER_LANE + k] = own + k;  // earlier
    }
#ifdef FIXED
    __syncwarp();
#endif
    queues[i] = sqrtf(fabsf(of_warp[warp][lane]));  // later
}
