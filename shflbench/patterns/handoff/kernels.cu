// Some warps of a block hand values over to another warp through shared memory, row by row.
#include "roles.cuh"
#include "shflbench.cuh"

// A barrier of the block after a row is written. With one stage, a second one before it is written again; with two, the
// next barrier comes between.
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_syncthreads(const T* values, T* result, int iterations) {
    __shared__ Stages<T> stages;
    T x = values[thread()];
    REPEAT(iterations) {
        const int stage = stage_of(iteration);
        if (is_producer()) stages.put(stage, x = produce(x));
        __syncthreads();
        if (!is_producer()) x = stages.absorb(x, stage);
        if (STAGES == 1) __syncthreads();
    }
    result[thread()] = x;
}

// Two named barriers per stage: at `full`, producers arrive and the consumer waits; at `empty`, it is the reverse. Whoever
// arrives does not wait. Their numbers are constants: for a number that is known only at run time, each block reserves all 16
// barriers that it may have, and fewer blocks fit on an SM. They begin with 0, because this kernel has no __syncthreads().
constexpr int FULL = 0, EMPTY = FULL + STAGES;
template <int BARRIER>
__device__ void named_arrive() { asm volatile("bar.arrive %0, %1;" :: "n"(BARRIER), "n"(BLOCK) : "memory"); }
template <int BARRIER>
__device__ void named_wait() { asm volatile("bar.sync %0, %1;" :: "n"(BARRIER), "n"(BLOCK) : "memory"); }
template <int FIRST>
__device__ void named_arrive(int stage) { stage == 0 ? named_arrive<FIRST>() : named_arrive<FIRST + STAGES - 1>(); }
template <int FIRST>
__device__ void named_wait(int stage) { stage == 0 ? named_wait<FIRST>() : named_wait<FIRST + STAGES - 1>(); }
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_named(const T* values, T* result, int iterations) {
    static_assert(STAGES <= 2);
    __shared__ Stages<T> stages;
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) {
            const int stage = stage_of(iteration);
            if (iteration >= STAGES) named_wait<EMPTY>(stage);
            stages.put(stage, x = produce(x));
            named_arrive<FULL>(stage);
        }
    } else {
        REPEAT(iterations) {
            const int stage = stage_of(iteration);
            named_wait<FULL>(stage);
            x = stages.absorb(x, stage);
            if (iteration < iterations - STAGES) named_arrive<EMPTY>(stage);
        }
    }
    result[thread()] = x;
}

// The same with barriers in shared memory, at which lanes poll. The kernels differ in who arrives, `Signal`, so that a phase
// is complete after `of_producers` or `of_consumer` arrivals.
__device__ inline void init(unsigned long long* barrier, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(shared_address(barrier)), "r"(count) : "memory");
}
__device__ inline void arrive(unsigned long long* barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(shared_address(barrier)) : "memory");
}
__device__ inline void wait(unsigned long long* barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!is_complete);
}
template <typename Signal, typename T>
__device__ void hand_over(const T* values, T* result, int iterations) {
    __shared__ Stages<T> stages;
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    if (threadIdx.x < STAGES) {
        init(&full[threadIdx.x], Signal::of_producers);
        init(&empty[threadIdx.x], Signal::of_consumer);
    }
    __syncthreads();
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) {
            const int stage = stage_of(iteration);
            if (iteration >= STAGES) wait(&empty[stage], parity_of(iteration - STAGES));
            stages.put(stage, x = produce(x));
            Signal::written(&full[stage]);
        }
    } else {
        REPEAT(iterations) {
            const int stage = stage_of(iteration);
            wait(&full[stage], parity_of(iteration));
            x = stages.absorb(x, stage);
            Signal::read(&empty[stage]);
        }
    }
    result[thread()] = x;
}

// One lane arrives for its warp.
struct WarpsArrive {
    static constexpr int of_producers = PRODUCERS, of_consumer = 1;
    static __device__ void written(unsigned long long* full) {
        __syncwarp();
        if (lane() == 0) arrive(full);
    }
    static __device__ void read(unsigned long long* empty) { written(empty); }
};
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_mbarrier(const T* values, T* result, int iterations) {
    hand_over<WarpsArrive>(values, result, iterations);
}

// Every thread arrives.
struct ThreadsArrive {
    static constexpr int of_producers = PRODUCERS * WARP, of_consumer = WARP;
    static __device__ void written(unsigned long long* full) { arrive(full); }
    static __device__ void read(unsigned long long* empty) { arrive(empty); }
};
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_mbarrier_threads(const T* values, T* result, int iterations) {
    hand_over<ThreadsArrive>(values, result, iterations);
}

// The producers meet at a named barrier, and one thread arrives for all of them.
struct OneArrives {
    static constexpr int of_producers = 1, of_consumer = 1;
    static __device__ void written(unsigned long long* full) {
        asm volatile("bar.sync 1, %0;" :: "n"(PRODUCERS * WARP) : "memory");
        if (threadIdx.x == 0) arrive(full);
    }
    static __device__ void read(unsigned long long* empty) { WarpsArrive::read(empty); }
};
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_mbarrier_once(const T* values, T* result, int iterations) {
    hand_over<OneArrives>(values, result, iterations);
}

// The same with a counter of rows per warp, which its lane 0 publishes. One lane polls a counter for its warp.
__device__ inline void publish(int* counter, int count) {
    asm volatile("st.release.cta.shared.u32 [%0], %1;" :: "r"(shared_address(counter)), "r"(count) : "memory");
}
__device__ inline int observe(const int* counter) {
    int count;
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(count) : "r"(shared_address(counter)) : "memory");
    return count;
}
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_flag(const T* values, T* result, int iterations) {
    __shared__ Stages<T> stages;
    __shared__ int produced[PRODUCERS], consumed;
    if (threadIdx.x < PRODUCERS) produced[threadIdx.x] = 0;
    if (threadIdx.x == 0) consumed = 0;
    __syncthreads();
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) {
            if (lane() == 0) {
                while (observe(&consumed) < iteration + 1 - STAGES) continue;
            }
            __syncwarp();
            stages.put(stage_of(iteration), x = produce(x));
            __syncwarp();
            if (lane() == 0) publish(&produced[warp()], iteration + 1);
        }
    } else {
        REPEAT(iterations) {
            if (lane() < PRODUCERS) {
                while (observe(&produced[lane()]) < iteration + 1) continue;
            }
            __syncwarp();
            x = stages.absorb(x, stage_of(iteration));
            __syncwarp();
            if (lane() == 0) publish(&consumed, iteration + 1);
        }
    }
    result[thread()] = x;
}
