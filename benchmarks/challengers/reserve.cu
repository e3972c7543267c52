// One atomic addition per block or per cluster of blocks instead of one per warp: slots of a block are consecutive.
#include "bulk.cuh"

#ifndef CLUSTER
#define CLUSTER 8
#endif

// Thread 0 reserves for the block; shared memory and one barrier distribute the result.
template <typename T>
__global__ void LAUNCH_BOUNDS my_reserve_x_block(T* next, T* slots) {
    __shared__ T first;
    if (threadIdx.x == 0) first = fetch_add(next, blockDim.x);
    __syncthreads();
    slots[thread()] = first + threadIdx.x;
}

// The reserving warp does not wait at the barrier: it arrives, and takes the result from a shuffle.
template <typename T>
__global__ void LAUNCH_BOUNDS my_reserve_x_arrive(T* next, T* slots) {
    __shared__ T published;
    T first = 0;
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0) {
            first = fetch_add(next, blockDim.x);
            published = first;
        }
        __syncwarp();
        if (blockDim.x > WARP) asm volatile("barrier.cta.arrive.aligned 1, %0;" :: "r"(blockDim.x) : "memory");
        first = __shfl_sync(FULL_WARP, first, 0);
    } else {
        asm volatile("barrier.cta.sync.aligned 1, %0;" :: "r"(blockDim.x) : "memory");
        first = published;
    }
    slots[thread()] = first + threadIdx.x;
}

// As x-block; 16 bytes per store, so that a quarter of the threads store the slots of all.
template <typename T>
__global__ void LAUNCH_BOUNDS my_reserve_x_wide(T* next, T* slots) {
    __shared__ T published;
    if (threadIdx.x == 0) published = fetch_add(next, blockDim.x);
    __syncthreads();
    if (threadIdx.x >= blockDim.x / 4) return;
    const T first = published + 4 * threadIdx.x;
    reinterpret_cast<int4*>(slots)[blockIdx.x * (blockDim.x / 4) + threadIdx.x] =
        make_int4(first, first + 1, first + 2, first + 3);
}

// As x-block; the slots of the block are stored by one bulk copy.
template <typename T>
__global__ void LAUNCH_BOUNDS my_reserve_x_bulk(T* next, T* slots) {
    __shared__ T first;
    T* mine = shared<T>();
    if (threadIdx.x == 0) first = fetch_add(next, blockDim.x);
    __syncthreads();
    mine[threadIdx.x] = first + threadIdx.x;
    fence_of_proxies();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(slots + blockIdx.x * blockDim.x, mine, blockDim.x * sizeof(T));
        wait_until_read();
    }
}

// One atomic addition per cluster: its result is stored in the shared memory of each block.
template <typename T>
__global__ void __cluster_dims__(CLUSTER) LAUNCH_BOUNDS my_reserve_x_cluster(T* next, T* slots) {
    __shared__ T first;
    const unsigned rank = rank_in_cluster();
    T of_cluster = 0;
    cluster_arrive_relaxed();  // that all blocks have started
    if (rank == 0 && threadIdx.x == 0) of_cluster = fetch_add(next, CLUSTER * blockDim.x);
    cluster_wait();
    if (rank == 0 && threadIdx.x < WARP) {
        of_cluster = __shfl_sync(FULL_WARP, of_cluster, 0);
        if (threadIdx.x < CLUSTER) store_at(address_in(threadIdx.x, &first), of_cluster + threadIdx.x * blockDim.x);
    }
    cluster_arrive();
    cluster_wait();
    slots[thread()] = first + threadIdx.x;
}

// The same by asynchronous stores: each block waits at a barrier of its own, which counts the bytes.
template <typename T>
__global__ void __cluster_dims__(CLUSTER) LAUNCH_BOUNDS my_reserve_x_cluster_async(T* next, T* slots) {
    __shared__ T first;
    __shared__ Barrier arrived;
    const unsigned rank = rank_in_cluster();
    T of_cluster = 0;
    if (threadIdx.x == 0) {
        init_barrier(&arrived);
        publish_init();
        expect_bytes(&arrived, sizeof(T));
        if (rank == 0) of_cluster = fetch_add(next, CLUSTER * blockDim.x);
    }
    __syncwarp();
    cluster_arrive_relaxed();
    cluster_wait();
    if (rank == 0 && threadIdx.x < WARP) {
        of_cluster = __shfl_sync(FULL_WARP, of_cluster, 0);
        if (threadIdx.x < CLUSTER) {
            store_async(address_in(threadIdx.x, &first), of_cluster + threadIdx.x * blockDim.x,
                        address_in(threadIdx.x, &arrived));
        }
    }
    wait_in_cluster(&arrived, 0);
    slots[thread()] = first + threadIdx.x;
}
