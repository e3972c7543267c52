//: global barrier barrier-load mbarrier store-async larger-block dtype=i32,i64 cluster=2,4,8
//: numbered barrier-relaxed dtype=i32 cluster=2,4,8

//! *
// Threads of {cluster} blocks exchange a value per iteration with the block of the mirrored rank; for grids and blocks
// along x, of up to 128 threads.
__device__ inline {T} mixed({T} own, {T} got) {
    return ({T})(({U})own + 2 * ({U})got);
}

//! global barrier barrier-load mbarrier store-async numbered barrier-relaxed
// From sm_90 on.
__device__ inline unsigned rank_in_cluster() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ inline void sync_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

//! barrier barrier-load mbarrier store-async numbered barrier-relaxed
// Where the other block has what this one has in `own`.
__device__ inline unsigned in_other_block(const void* own) {
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(address) : "r"((unsigned)__cvta_generic_to_shared(own)), "r"({cluster} - 1 - rank_in_cluster()));
    return address;
}

//! mbarrier store-async
__device__ inline void init(unsigned long long* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(arrivals) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void arrive_at(unsigned barrier) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(barrier) : "memory");
}

__device__ inline void wait_at(unsigned long long* barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                     "selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
    } while (!is_complete);
}

//! numbered barrier-relaxed
// The value and the number of its iteration in one word: whoever loads the number has the value, too.
__device__ inline void store_numbered(unsigned address, {T} x, int number) {
    const unsigned long long word = (unsigned long long)unsigned(number) << 32 | unsigned(x);
    asm volatile("st.relaxed.cluster.shared::cluster.u64 [%0], %1;" :: "r"(address), "l"(word) : "memory");
}

__device__ inline {T} load_numbered(const unsigned long long* slot, int number) {
    unsigned long long word;
    do {
        asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];"
                     : "=l"(word) : "r"((unsigned)__cvta_generic_to_shared(slot)) : "memory");
    } while (int(word >> 32) != number);
    return {T}(word);
}

//! global
__cluster_dims__({cluster})
__global__ void cluster_exchange_global(const {T}* values, {T}* result, {T}* slots, int iterations) {
    const int own = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const int other = own + ({cluster} - 1 - 2 * int(rank_in_cluster())) * int(blockDim.x);
    {T} x = values[own];
#pragma unroll 2
    for (int i = 0; i < iterations; ++i) {
        {T}* slot = slots + i % 2 * threads;
        slot[other] = x;
        sync_cluster();
        x = mixed(x, slot[own]);
    }
    result[own] = x;
}
//! barrier barrier-load mbarrier store-async numbered barrier-relaxed
__cluster_dims__({cluster})
//! barrier
__global__ void cluster_exchange_barrier(const {T}* values, {T}* result, int iterations) {
//! barrier-load
__global__ void cluster_exchange_barrier_load(const {T}* values, {T}* result, int iterations) {
//! mbarrier
__global__ void cluster_exchange_mbarrier(const {T}* values, {T}* result, int iterations) {
//! store-async
__global__ void cluster_exchange_store_async(const {T}* values, {T}* result, int iterations) {
//! numbered
__global__ void cluster_exchange_numbered(const {T}* values, {T}* result, int iterations) {
//! barrier-relaxed
__global__ void cluster_exchange_barrier_relaxed(const {T}* values, {T}* result, int iterations) {
//! numbered barrier-relaxed
    __shared__ unsigned long long slots[2][128];
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = ~0ull;  // no number of an iteration
//! barrier barrier-load mbarrier store-async
    __shared__ {T} slots[2][128];
//! mbarrier
    __shared__ unsigned long long full[2];
    if (threadIdx.x < 2) init(&full[threadIdx.x], blockDim.x / 32);
//! store-async
    __shared__ unsigned long long full[2], empty[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 1);
        init(&empty[threadIdx.x], blockDim.x / 32);
    }
    const unsigned empty_there = in_other_block(empty);
//! mbarrier store-async
    __syncwarp();
    const unsigned full_there = in_other_block(full);
//! barrier barrier-load mbarrier store-async numbered barrier-relaxed
    const unsigned there = in_other_block(&slots[0][threadIdx.x]);
    const int own = blockIdx.x * blockDim.x + threadIdx.x;
    {T} x = values[own];
//! barrier mbarrier store-async numbered barrier-relaxed
    sync_cluster();  // all blocks have started
//! barrier barrier-load mbarrier store-async numbered barrier-relaxed
#pragma unroll 2
    for (int i = 0; i < iterations; ++i) {
        const unsigned slot = i % 2;
//! barrier mbarrier
        asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(there + slot * 512), "r"(x) : "memory");  //! dtype=i32
        asm volatile("st.shared::cluster.u64 [%0], %1;" :: "r"(there + slot * 1024), "l"(x) : "memory");  //! dtype=i64
//! barrier-load
        slots[slot][threadIdx.x] = x;
//! barrier barrier-load
        sync_cluster();
//! mbarrier
        __syncwarp();
        if (threadIdx.x % 32 == 0) arrive_at(full_there + slot * 8);
        wait_at(&full[slot], i / 2 % 2);
//! store-async
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                         :: "r"((unsigned)__cvta_generic_to_shared(&full[slot])), "r"(blockDim.x * unsigned(sizeof x))
                         : "memory");
        }
        if (i >= 2) wait_at(&empty[slot], (i / 2 - 1) % 2);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"  //! dtype=i32
                     :: "r"(there + slot * 512), "r"(x), "r"(full_there + slot * 8) : "memory");  //! dtype=i32
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];"  //! dtype=i64
                     :: "r"(there + slot * 1024), "r"(int(x)), "r"(int(x >> 32)), "r"(full_there + slot * 8)  //! dtype=i64
                     : "memory");  //! dtype=i64
        wait_at(&full[slot], i / 2 % 2);
//! numbered barrier-relaxed
        store_numbered(there + slot * 1024, x, i);
//! barrier-relaxed
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
//! numbered barrier-relaxed
        x = mixed(x, load_numbered(&slots[slot][threadIdx.x], i));
//! barrier-relaxed
        __syncwarp();
//! barrier mbarrier store-async
        x = mixed(x, slots[slot][threadIdx.x]);
//! barrier-load
        {T} got;
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(got) : "r"(there + slot * 512) : "memory");  //! dtype=i32
        asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(got) : "r"(there + slot * 1024) : "memory");  //! dtype=i64
        x = mixed(x, got);
//! store-async
        __syncwarp();
        if (threadIdx.x % 32 == 0) arrive_at(empty_there + slot * 8);
//! barrier barrier-load mbarrier store-async numbered barrier-relaxed
    }
    __syncwarp();  //! numbered
    sync_cluster();  // no block ends while another one uses its shared memory
    result[own] = x;
}
//! larger-block
// Launch blocks of {cluster} times as many threads.
__global__ void cluster_exchange_larger_block(const {T}* values, {T}* result, int iterations) {
    __shared__ {T} slots[2][{cluster} * 128];
    const int own = blockIdx.x * blockDim.x + threadIdx.x, block = blockDim.x / {cluster};
    const int other = ({cluster} - 1 - int(threadIdx.x) / block) * block + threadIdx.x % block;
    {T} x = values[own];
#pragma unroll 2
    for (int i = 0; i < iterations; ++i) {
        slots[i % 2][threadIdx.x] = x;
        __syncthreads();
        x = mixed(x, slots[i % 2][other]);
    }
    result[own] = x;
}
