// broken: deadlock the first warp of the consumers arrives for all of them while another one still tests the phase before
// fixed: clean
// launch: 1x96
// source: https://github.com/triton-lang/triton/pull/10035, MIT
// Written anew after the thread: no code of it.
// A producer and two consumer warps use a ring of one stage. The leader of the consumers leaves its wait and arrives, the producer
// completes the next phase, and the other consumer warp waits for a parity that has passed, while the leader waits for that warp.
// The fix: a barrier of the consumers before the arrival.
// Left out: Triton, more stages, the data of the stage.
constexpr int ROUNDS = 4;

__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void start(unsigned long long *barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(barrier)) : "memory");
}

__device__ void arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place_of(barrier)) : "memory");  // earlier
}

__device__ void wait_parity(unsigned long long *barrier, unsigned parity) {
    unsigned place = place_of(barrier), done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(place), "r"(parity) : "memory");  // later
}

__device__ void sync_consumers() { asm volatile("bar.sync 1, 64;" ::: "memory"); }

__global__ void ring(const int *in, int *out) {
    __shared__ unsigned long long full, empty;
    int t = threadIdx.x;
    if (t == 0) {
        start(&full);
        start(&empty);
    }
    __syncthreads();
    if (t == 0) {
        for (int round = 0; round < ROUNDS; round++) {
            if (round > 0) wait_parity(&empty, (round - 1) % 2);
            arrive(&full);
        }
    } else if (t >= 32) {
        for (int round = 0; round < ROUNDS; round++) {
            sync_consumers();
            wait_parity(&full, round % 2);
#ifdef FIXED
            sync_consumers();
#endif
            if (t == 32) arrive(&empty);
            out[round * 64 + t - 32] = in[t - 32] + round;
        }
    }
}
