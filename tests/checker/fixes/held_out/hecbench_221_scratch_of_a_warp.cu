// broken: RAW lanes read a pointer that lane 0 of their warp has just stored, with no __syncwarp() between
// fixed: clean
// launch: 2x64
// source: https://github.com/ORNL/HeCBench/pull/221
// Written anew after the thread: no code of it.
// Lane 0 chooses the scratch memory of its warp and stores the pointer in shared memory, where the other lanes read it.
// The fix: the __syncwarp() that was commented out.
// Left out: malloc on the device, truth tables; the scratch memory is a part of a buffer.
__global__ void truth_table(unsigned *memory, const unsigned *in, unsigned *out) {
    __shared__ unsigned *scratch[2];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * 64 + threadIdx.x;
    if (lane == 0) scratch[warp] = memory + (blockIdx.x * 2 + warp) * 32;  // earlier
#ifdef FIXED
    __syncwarp();
#endif
    unsigned *own = scratch[warp];  // later
    own[lane] = ~in[i];
    out[i] = own[lane] & 0xff;
}
