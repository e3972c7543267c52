// Adds the sum of an array to `total`, which is zero before. The first four kernels have a tree for BLOCK elements, or
// twice as many, as the first steps of the guide; the others let each thread add up its elements first.
#include "shflbench.cuh"
#include "sums.cuh"

// Interleaved addressing: threads whose number is a multiple of 2, 4, 8, … add. Every warp diverges.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_interleaved(const T* values, Sum<T>* total) {
    Sum<T>* slots = shared<Sum<T>>();
    const T* mine = first_word<T>(values);
    const int t = threadIdx.x;
    Sum<T> sum = 0;
#pragma unroll 1
    for (int tile = 0; tile < PER_THREAD; ++tile) {
        slots[t] = sum_of(mine[tile * step()]);
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            if (t % (2 * distance) == 0) slots[t] = add(slots[t], slots[t + distance]);
            __syncthreads();
        }
        if (t == 0) sum = add(sum, slots[0]);
    }
    if (t == 0) atomicAdd(total, sum);
}

// The first threads add, those of the same distance as before: whole warps, but with bank conflicts.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_interleaved_strided(const T* values, Sum<T>* total) {
    Sum<T>* slots = shared<Sum<T>>();
    const T* mine = first_word<T>(values);
    const int t = threadIdx.x;
    Sum<T> sum = 0;
#pragma unroll 1
    for (int tile = 0; tile < PER_THREAD; ++tile) {
        slots[t] = sum_of(mine[tile * step()]);
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            const int i = 2 * distance * t;
            if (i < BLOCK) slots[i] = add(slots[i], slots[i + distance]);
            __syncthreads();
        }
        if (t == 0) sum = add(sum, slots[0]);
    }
    if (t == 0) atomicAdd(total, sum);
}

// Sums up the slots of a block in slot 0. Sequential addressing: no divergence, no bank conflicts. A barrier precedes.
template <typename S>
__device__ void sum_up(S* slots) {
    const int t = threadIdx.x;
    for (int distance = BLOCK / 2; distance > 0; distance /= 2) {
        if (t < distance) slots[t] = add(slots[t], slots[t + distance]);
        __syncthreads();
    }
}

template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_sequential(const T* values, Sum<T>* total) {
    Sum<T>* slots = shared<Sum<T>>();
    const T* mine = first_word<T>(values);
    const int t = threadIdx.x;
    Sum<T> sum = 0;
#pragma unroll 1
    for (int tile = 0; tile < PER_THREAD; ++tile) {
        slots[t] = sum_of(mine[tile * step()]);
        __syncthreads();
        sum_up(slots);
        if (t == 0) sum = add(sum, slots[0]);
    }
    if (t == 0) atomicAdd(total, sum);
}

// The first addition during the load: half as many trees.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_first_add(const T* values, Sum<T>* total) {
    Sum<T>* slots = shared<Sum<T>>();
    const T* mine = first_word<T>(values);
    const int t = threadIdx.x;
    Sum<T> sum = 0;
#pragma unroll 1
    for (int tile = 0; tile < PER_THREAD; tile += 2) {
        slots[t] = add(sum_of(mine[tile * step()]), sum_of(mine[(tile + 1) * step()]));
        __syncthreads();
        sum_up(slots);
        if (t == 0) sum = add(sum, slots[0]);
    }
    if (t == 0) atomicAdd(total, sum);
}

// Each thread adds up its elements in a register; then one tree per block.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_smem(const T* values, Sum<T>* total) {
    Sum<T>* slots = shared<Sum<T>>();
    slots[threadIdx.x] = sum_of_elements(values);
    __syncthreads();
    sum_up(slots);
    if (threadIdx.x == 0) atomicAdd(total, slots[0]);
}

// Loads of 16 bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_smem_vector(const T* values, Sum<T>* total) {
    Sum<T>* slots = shared<Sum<T>>();
    slots[threadIdx.x] = sum_of_vectors(values);
    __syncthreads();
    sum_up(slots);
    if (threadIdx.x == 0) atomicAdd(total, slots[0]);
}

// UNSAFE: the last warp has no barriers; it relies on lockstep execution, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_smem_unsafe(const T* values, Sum<T>* total) {
    Sum<T>* slots = shared<Sum<T>>();
    const int t = threadIdx.x;
    slots[t] = sum_of_elements(values);
    __syncthreads();
    for (int distance = BLOCK / 2; distance > WARP; distance /= 2) {
        if (t < distance) slots[t] = add(slots[t], slots[t + distance]);
        __syncthreads();
    }
    if (t < WARP) {
        for (int distance = WARP; distance > 0; distance /= 2) {
            volatile_store(&slots[t], add(volatile_load(&slots[t]), volatile_load(&slots[t + distance])));
        }
    }
    if (t == 0) atomicAdd(total, slots[0]);
}

// Lane 0 gets the sum of the warp.
template <typename S>
__device__ S warp_sum(S sum) {
    for (int distance = WARP / 2; distance > 0; distance /= 2) sum = add(sum, shfl_down(sum, distance));
    return sum;
}

// Thread 0 gets the sum of the block: shuffles within warps, and shared memory from warp to warp.
template <typename S>
__device__ S block_sum(S sum, S* of_warps) {
    sum = warp_sum(sum);
    if (lane() == 0) of_warps[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x < WARP) sum = warp_sum(lane() < BLOCK / WARP ? of_warps[lane()] : S(0));
    return sum;
}

template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_shfl(const T* values, Sum<T>* total) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    const Sum<T> sum = block_sum(sum_of_elements(values), of_warps);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

// Loads of 16 bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_shfl_vector(const T* values, Sum<T>* total) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    const Sum<T> sum = block_sum(sum_of_vectors(values), of_warps);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

// One atomic addition per warp: no shared memory, no barrier.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_shfl_atomic_warp(const T* values, Sum<T>* total) {
    const Sum<T> sum = warp_sum(sum_of_vectors(values));
    if (lane() == 0) atomicAdd(total, sum);
}

// One instruction sums the integers of a warp.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_redux(const T* values, T* total) {
    __shared__ T of_warps[BLOCK / WARP];
    T sum = __reduce_add_sync(FULL_WARP, sum_of_vectors(values));
    if (lane() == 0) of_warps[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x < WARP) sum = __reduce_add_sync(FULL_WARP, lane() < BLOCK / WARP ? of_warps[lane()] : 0);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

// Each block stores its sum; the block that finishes last adds up all of them, always in the same order. The fences
// order a block's store before its ticket, and the last ticket before the loads. Partial sums and tickets are zero before
// and after.
template <typename T>
__global__ void LAUNCH_BOUNDS
device_reduce_last_block(const T* values, Sum<T>* total, Sum<T>* partial, unsigned* tickets) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    __shared__ bool is_last;
    Sum<T> sum = block_sum(sum_of_vectors(values), of_warps);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;  // the last ticket makes them zero again
        __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    sum = 0;
    for (int block = threadIdx.x; block < gridDim.x; block += BLOCK) {
        sum = add(sum, partial[block]);
        partial[block] = 0;
    }
    sum = block_sum(sum, of_warps);
    if (threadIdx.x == 0) *total = sum;
}

// The same with a ticket that releases the block's sum and acquires those of the others, instead of sequential fences.
template <typename T>
__global__ void LAUNCH_BOUNDS
device_reduce_last_block_acq_rel(const T* values, Sum<T>* total, Sum<T>* partial, unsigned* tickets) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    __shared__ bool is_last;
    Sum<T> sum = block_sum(sum_of_vectors(values), of_warps);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        unsigned ticket;
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(ticket) : "l"(tickets), "r"(gridDim.x - 1) : "memory");
        is_last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    sum = 0;
    for (int block = threadIdx.x; block < gridDim.x; block += BLOCK) {
        sum = add(sum, partial[block]);
        partial[block] = 0;
    }
    sum = block_sum(sum, of_warps);
    if (threadIdx.x == 0) *total = sum;
}
