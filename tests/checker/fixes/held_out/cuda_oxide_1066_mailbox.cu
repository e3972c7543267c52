// broken: WAR the producer overwrites its mailbox while consumers have not read it
// fixed: clean
// launch: 1x96
// source: https://github.com/NVlabs/cuda-oxide/pull/1066
// Written anew after the thread: no code of it.
// One warp publishes the next tile in shared memory and arrives at an mbarrier; others wait for that and read. Nothing tells the
// producer that they have. As it may run ahead by more than one phase, they may also wait forever.
// The fix: a second mbarrier, at which one lane of each consumer warp arrives after the read, and for which the producer waits.
// Left out: cancellation of launches, matrix instructions, two of four fields, three of five consumers.
constexpr int TILES = 3;

__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void start(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place_of(barrier)), "r"(count) : "memory");
}

__device__ void arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place_of(barrier)) : "memory");
}

__device__ void wait_parity(unsigned long long *barrier, unsigned parity) {
    unsigned place = place_of(barrier), done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(place), "r"(parity) : "memory");
}

__global__ void persistent(const int *tiles, int *out) {
    __shared__ unsigned long long ready, free;
    __shared__ int mailbox[2];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        start(&ready, 1);
        start(&free, 2);
    }
    __syncthreads();
    if (warp == 0) {
        if (lane == 0)
            for (int number = 0; number < TILES; number++) {
#ifdef FIXED
                if (number > 0) wait_parity(&free, (number - 1) % 2);
#endif
                mailbox[0] = tiles[2 * number];  // later
                mailbox[1] = tiles[2 * number + 1];
                arrive(&ready);
            }
    } else {
        for (int number = 0; number < TILES; number++) {
            wait_parity(&ready, number % 2);
            int value = 10 * mailbox[0] + mailbox[1];  // earlier
            __syncwarp();
#ifdef FIXED
            if (lane == 0) arrive(&free);
#endif
            out[(number * 2 + warp - 1) * 32 + lane] = value;
        }
    }
}
