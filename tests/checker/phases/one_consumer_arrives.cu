// broken: deadlock one consumer warp returns the stage for all, so that another one may miss two phases
// fixed: clean
// launch: 1x96
// The fix: the barrier of the empty stage counts every consumer warp.
constexpr int ROUNDS = 4;
constexpr int CONSUMERS = 2;
#ifdef FIXED
constexpr int ARRIVALS = CONSUMERS;
#else
constexpr int ARRIVALS = 1;
#endif

__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void start(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place_of(barrier)), "r"(count) : "memory");
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

__global__ void ring(const int *in, int *out) {
    __shared__ unsigned long long full, empty;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        start(&full, 1);
        start(&empty, ARRIVALS);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int round = 0; round < ROUNDS; round++) {
            if (round > 0) wait_parity(&empty, (round - 1) % 2);
            arrive(&full);
        }
    } else if (warp > 0) {
        for (int round = 0; round < ROUNDS; round++) {
            wait_parity(&full, round % 2);
            __syncwarp();
            if (lane == 0 && warp <= ARRIVALS) arrive(&empty);
            out[(round * CONSUMERS + warp - 1) * 32 + lane] = in[lane] + round;
        }
    }
}
