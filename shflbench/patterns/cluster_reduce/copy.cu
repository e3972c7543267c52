//: two-launches two-launches-dependent last-block last-block-acq-rel add dtype=f32,i32 cluster=2,4,8
//: barrier barrier-one-release store-async store-async-release larger-block dtype=f32,i32 cluster=2,4,8
//: first-warp warp-per-group lanes-per-group dtype=f32,i32 cluster=2,4,8
//: add-async dtype=i32 cluster=2,4,8

//! *
// The sum of a value per thread of {cluster} blocks, for grids and blocks along x. THREADS is the size of a block.
//! two-launches-dependent barrier barrier-one-release store-async store-async-release add-async
// From sm_90 on.
//! barrier barrier-one-release store-async store-async-release add-async
// Call it in a kernel with __cluster_dims__({cluster}).
//! two-launches two-launches-dependent last-block last-block-acq-rel add barrier barrier-one-release store-async store-async-release add-async larger-block first-warp warp-per-group
__device__ inline {T} sum_of_warp({T} x) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(0xffffffffu, x, offset);
    return x;
}

//! two-launches two-launches-dependent last-block last-block-acq-rel add barrier barrier-one-release store-async store-async-release add-async larger-block
// Thread 0 gets the sum of its block.
template <int THREADS>
__device__ inline {T} sum_of_block({T} x) {
    static_assert(THREADS % 32 == 0 && THREADS <= 1024);
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    constexpr int WARPS = THREADS / 32;
    __shared__ {T} sums[WARPS];
    const int lane = threadIdx.x % 32;
    x = sum_of_warp(x);
    if (lane == 0) sums[threadIdx.x / 32] = x;
    __syncthreads();
    return threadIdx.x < 32 ? sum_of_warp(lane < WARPS ? sums[lane] : 0) : x;
}

//! two-launches two-launches-dependent last-block last-block-acq-rel barrier barrier-one-release store-async store-async-release
__device__ inline {T} sum_of_few(const {T}* sums) {
    {T} sum = sums[0];
#pragma unroll
    for (int i = 1; i < {cluster}; ++i) sum += sums[i];
    return sum;
}

//! barrier barrier-one-release store-async store-async-release add-async
__device__ inline unsigned rank_in_cluster() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// Where the first block of the cluster has what this one has in `own`.
__device__ inline unsigned in_first_block(const void* own) {
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(address) : "r"((unsigned)__cvta_generic_to_shared(own)));
    return address;
}

//! store-async store-async-release add-async
__device__ inline void wait_for_bytes(unsigned long long* barrier) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
                     "selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
    } while (!is_complete);
}

//! two-launches
template <int THREADS>
__device__ inline void sum_blocks(const {T}* values, {T}* partial) {
//! two-launches-dependent
template <int THREADS>
__device__ inline void sum_blocks(const {T}* values, {T}* partial) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
//! two-launches two-launches-dependent
    const {T} sum = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// In a second launch, of one thread per group of blocks.
//! two-launches-dependent
// Launch it with cudaLaunchAttributeProgrammaticStreamSerialization. `partial` must not be __restrict__.
//! two-launches two-launches-dependent
__device__ inline void sum_partial(const {T}* partial, {T}* sums, int groups) {
//! two-launches-dependent
    asm volatile("griddepcontrol.wait;" ::: "memory");  // all that the first kernel has written is visible
//! two-launches two-launches-dependent
    const int group = blockIdx.x * blockDim.x + threadIdx.x;
    if (group < groups) sums[group] = sum_of_few(partial + group * {cluster});
}
//! last-block last-block-acq-rel
// `tickets` are zero before, and afterwards again.
//! last-block
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums, {T}* partial, unsigned* tickets) {
    const {T} sum = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x != 0) return;
    const int group = blockIdx.x / {cluster};
    partial[blockIdx.x] = sum;
    __threadfence();
    if (atomicInc(&tickets[group], {cluster} - 1) != {cluster} - 1) return;
    __threadfence();
    sums[group] = sum_of_few(partial + group * {cluster});
}
//! last-block-acq-rel
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums, {T}* partial, unsigned* tickets) {
    const {T} sum = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x != 0) return;
    const int group = blockIdx.x / {cluster};
    partial[blockIdx.x] = sum;
    unsigned ticket;  // it releases the own sum, and acquires those of the blocks with earlier tickets
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(ticket) : "l"(&tickets[group]), "r"({cluster} - 1) : "memory");
    if (ticket == {cluster} - 1) sums[group] = sum_of_few(partial + group * {cluster});
}
//! add
// `sums` are zero before.
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums) {
    const {T} sum = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x == 0) atomicAdd(&sums[blockIdx.x / {cluster}], sum);
}
//! barrier
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums) {
//! barrier-one-release
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums) {
//! barrier barrier-one-release
    __shared__ {T} of_blocks[{cluster}];
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");  // this block has started
    const {T} sum = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0) {
        unsigned bits;
        memcpy(&bits, &sum, sizeof bits);
        asm volatile("st.shared::cluster.u32 [%0], %1;"
                     :: "r"(in_first_block(&of_blocks[rank_in_cluster()])), "r"(bits) : "memory");
    }
    __syncwarp();
//! barrier
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
//! barrier-one-release
    if (threadIdx.x < 32) asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");  // releases what was stored
    else asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
//! barrier barrier-one-release
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    if (rank_in_cluster() == 0 && threadIdx.x == 0) sums[blockIdx.x / {cluster}] = sum_of_few(of_blocks);
}
//! store-async
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums) {
//! store-async-release
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums) {
//! store-async store-async-release
    __shared__ {T} of_blocks[{cluster}];
//! add-async
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums) {
    __shared__ {T} total;
//! store-async store-async-release add-async
    __shared__ unsigned long long arrived;
    const unsigned barrier = (unsigned)__cvta_generic_to_shared(&arrived);
    if (threadIdx.x == 0) {
//! add-async
        total = 0;
//! store-async store-async-release add-async
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(barrier) : "memory");
//! store-async store-async-release
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
//! store-async store-async-release add-async
    }
    __syncwarp();
//! store-async
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
//! store-async-release add-async
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
//! store-async store-async-release add-async
    const {T} sum = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x != 0) return;
    const bool is_first = rank_in_cluster() == 0;
    if (is_first) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(barrier), "n"({cluster} * 4) : "memory");
    }
//! store-async store-async-release
    unsigned bits;
    memcpy(&bits, &sum, sizeof bits);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 :: "r"(in_first_block(&of_blocks[rank_in_cluster()])), "r"(bits), "r"(in_first_block(&arrived))
                 : "memory");
//! add-async
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                 :: "r"(in_first_block(&total)), "r"(sum), "r"(in_first_block(&arrived)) : "memory");
//! store-async store-async-release add-async
    if (!is_first) return;
    wait_for_bytes(&arrived);
//! store-async store-async-release
    sums[blockIdx.x / {cluster}] = sum_of_few(of_blocks);
//! add-async
    sums[blockIdx.x / {cluster}] = total;
//! store-async store-async-release add-async
}
//! larger-block
// THREADS is {cluster} times as large as for several blocks.
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums) {
    const {T} sum = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
//! first-warp warp-per-group lanes-per-group
// Lane 0 gets the sum of COUNT adjacent values, of which each lane loads up to 16 bytes at a time.  //! first-warp warp-per-group
// Lane 0 of LANES adjacent ones gets the sum of COUNT adjacent values, of which each lane loads 16 bytes at a time.  //! lanes-per-group
template <int COUNT>  //! first-warp warp-per-group
template <int COUNT, int LANES>  //! lanes-per-group
__device__ inline {T} sum_of_values(const {T}* values, int lane) {
    constexpr int LANES = 32, PER_LANE = COUNT / LANES, WIDTH = PER_LANE < 4 ? PER_LANE : 4;  //! first-warp warp-per-group
    constexpr int PER_LANE = COUNT / LANES, WIDTH = 4;  //! lanes-per-group
    static_assert(COUNT >= 64 && (COUNT & (COUNT - 1)) == 0);
    struct alignas(WIDTH * sizeof({T})) Vector {
        {T} x[WIDTH];
    };
    assert(reinterpret_cast<size_t>(values) % sizeof(Vector) == 0);
    Vector vectors[PER_LANE / WIDTH];
#pragma unroll
    for (int i = 0; i < PER_LANE / WIDTH; ++i) vectors[i] = reinterpret_cast<const Vector*>(values)[i * LANES + lane];
    {T} sums[PER_LANE];
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) sums[i] = vectors[i / WIDTH].x[i % WIDTH];
#pragma unroll
    for (int half = PER_LANE / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < PER_LANE / 2; ++i) {
            if (i < half) sums[i] = sums[2 * i] + sums[2 * i + 1];
        }
    }
    return sum_of_warp(sums[0]);  //! first-warp warp-per-group
//! lanes-per-group
    {T} sum = sums[0];
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    return sum;
//! first-warp warp-per-group lanes-per-group
}

//! first-warp
// THREADS is {cluster} times as large as for several blocks, and a power of 2. There is one value per thread, although
// only the threads of the first warp load any. `values` are aligned to 16 bytes.
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    if (threadIdx.x >= 32) return;
    const {T} sum = sum_of_values<THREADS>(values + blockIdx.x * THREADS, threadIdx.x);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
//! warp-per-group
// Each warp adds up a group of {cluster} * THREADS values, which is a power of 2: launch at least 32 threads per group.
// `values` are aligned to 16 bytes.
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums, int groups) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    static_assert(THREADS % 32 == 0);
    const int group = blockIdx.x * (THREADS / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (group >= groups) return;
    const {T} sum = sum_of_values<{cluster} * THREADS>(values + group * ({cluster} * THREADS), lane);
    if (lane == 0) sums[group] = sum;
}
//! lanes-per-group
// Each lane adds up 32 values of a group of {cluster} * THREADS, which is a power of 2: launch a thread per 32 values, in
// whole blocks. `values` are aligned to 16 bytes.
template <int THREADS>
__device__ inline void cluster_sum(const {T}* values, {T}* sums, int groups) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    constexpr int COUNT = {cluster} * THREADS, LANES = COUNT / 32;
    static_assert(THREADS % 32 == 0 && COUNT <= 1024);
    const int group = (blockIdx.x * THREADS + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    // Whole warps take part in the shuffles: lanes without a group add up the values of the last one.
    const int loaded = group < groups ? group : groups - 1;
    const {T} sum = sum_of_values<COUNT, LANES>(values + loaded * COUNT, lane);
    if (lane == 0 && group < groups) sums[group] = sum;
}
