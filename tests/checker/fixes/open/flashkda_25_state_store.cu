// broken: RAW no proxy fence stands between generic writes to shared memory and the bulk store that reads them
// fixed: clean
// launch: 2x64
// source: https://github.com/MoonshotAI/FlashKDA/pull/25 (issue 24)
// Written anew after the thread: no code of it.
// All threads convert the state in shared memory, and after a barrier one thread stores it by a bulk copy.
// The fix: each thread that wrote executes fence.proxy.async before the barrier.
// Left out: the recurrence, 16-bit states; the store has no tensor map.
__global__ void store_state(const float *in, float *state) {
    __shared__ __align__(128) float staged[64];
    int t = threadIdx.x, first = blockIdx.x * 64;
    staged[t] = 0.5f * in[first + t];  // earlier
#ifdef FIXED
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    if (t == 0) {
        unsigned place = (unsigned)__cvta_generic_to_shared(staged);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(state + first), "r"(place) : "memory");  // later
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
