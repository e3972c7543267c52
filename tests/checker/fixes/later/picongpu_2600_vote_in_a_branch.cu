// broken: deadlock lanes in a branch vote with a full mask, while the other lanes of their warp wait at a barrier
// fixed: clean
// launch: 2x64
// source: https://github.com/ComputationalRadiationPhysics/picongpu/pull/2600 (issue 2514)
// Written anew after the thread: no code of it.
// Lanes with a particle increase a counter by one atomic per warp, and find out by a vote how many they are. It hung on a V100.
// The fix: __activemask() gives the lanes that add together.
// Left out: the places that lanes take; every third thread has a particle.
__global__ void count_particles(const unsigned *offsets, unsigned *counts) {
    __shared__ unsigned count;
    int t = threadIdx.x;
    if (t == 0) count = offsets[blockIdx.x];
    __syncthreads();
    if (t % 3 == 0) {
#ifdef FIXED
        unsigned lanes = __activemask();
#else
        unsigned lanes = __ballot_sync(0xffffffff, 1);  // later
#endif
        if (t % 32 == __ffs(lanes) - 1) atomicAdd(&count, (unsigned)__popc(lanes));
    }
    __syncthreads();
    if (t == 0) counts[blockIdx.x] = count;
}
