//: two-launches two-launches-graph two-launches-dependent last-block last-block-acq-rel add zero-add grid-barrier first-waits one-block dtype=f32,i32 blocks=2,8,32,132,528
//: cluster-last dtype=f32,i32 blocks=2,8,32,132
//: one-cluster last-block-words-few dtype=f32,i32 blocks=32,132,528
//: add-counted dtype=i32 blocks=2,8,32,132,528
//: add-counted-few dtype=i32 blocks=32,132,528

//! two-launches two-launches-graph two-launches-dependent last-block last-block-acq-rel add zero-add add-counted grid-barrier first-waits cluster-last
// The sum of a value per thread of {blocks} blocks, for grids and blocks along x. THREADS is the size of a block. If
// there are more blocks, each {blocks} of them have a sum.
//! one-block one-cluster add-counted-few last-block-words-few
// The sum of COUNT values, a multiple of 4 that are aligned to 16 bytes, for grids and blocks along x. THREADS is the
// size of a block. If there are more blocks, they have further sums, of the values that follow.
//! two-launches-dependent cluster-last one-cluster
// From sm_90 on.
//! *

// Lane 0 of the calling warp gets the sum of its lanes.
__device__ inline {T} sum_of_warp({T} x) {
//! one-block one-cluster add-counted-few last-block-words-few dtype=i32
    #if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, x);
    #else
//! *
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(0xffffffffu, x, offset);
    return x;
//! one-block one-cluster add-counted-few last-block-words-few dtype=i32
    #endif
//! *
}

//! one-block one-cluster add-counted-few last-block-words-few
struct alignas(16) Vector {
    {T} x[4];
};

// The calling thread gets the sum of the vectors `first`, `first` + STEP and so on below COUNT. It loads up to 16 of
// them before it adds: for more, a block of 1,024 threads has too few registers.
template <int COUNT, int STEP>
__device__ inline {T} sum_of_vectors(const Vector* vectors, int first) {
    constexpr int EACH = (COUNT + STEP - 1) / STEP;
    {T} even = 0, odd = 0;
#pragma unroll 16
    for (int i = 0; i < EACH; ++i) {
        const int at = first + i * STEP;
        if ((i + 1) * STEP > COUNT && at >= COUNT) continue;
        const Vector vector = vectors[at];
        (i % 2 == 0 ? even : odd) += (vector.x[0] + vector.x[1]) + (vector.x[2] + vector.x[3]);
    }
    return even + odd;
}

//! one-block add-counted-few last-block-words-few
// Thread 0 gets the sum of its block: all threads store, and one warp loads vectors.
template <int THREADS>
__device__ inline {T} sum_of_block({T} x) {
    static_assert(THREADS % 32 == 0 && THREADS <= 1024);
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    __shared__ Vector stored[THREADS / 4];
    reinterpret_cast<{T}*>(stored)[threadIdx.x] = x;
    __syncthreads();
    return threadIdx.x < 32 ? sum_of_warp(sum_of_vectors<THREADS / 4, 32>(stored, threadIdx.x)) : x;
}

//! add-counted-few last-block-words-few
// Thread 0 gets the sum of what its block loads, one of PARTS blocks per COUNT values: the fastest have two or three
// vectors per thread.
template <int THREADS, int PARTS, int COUNT>
__device__ inline {T} sum_of_part(const {T}* values) {
    static_assert(COUNT % (4 * PARTS) == 0);
    assert(reinterpret_cast<size_t>(values) % sizeof(Vector) == 0);
    constexpr int VECTORS = COUNT / 4 / PARTS;
    const Vector* const vectors = reinterpret_cast<const Vector*>(values) + blockIdx.x * VECTORS;
    return sum_of_block<THREADS>(sum_of_vectors<VECTORS, THREADS>(vectors, threadIdx.x));
}

//! two-launches two-launches-graph two-launches-dependent last-block last-block-acq-rel add zero-add add-counted grid-barrier first-waits cluster-last
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

//! two-launches two-launches-graph two-launches-dependent last-block last-block-acq-rel grid-barrier first-waits cluster-last
// Lane 0 of the calling warp gets the sum of COUNT sums.
template <int COUNT>
__device__ inline {T} sum_of_stored(const {T}* stored) {
    const int lane = threadIdx.x % 32;
    {T} sum = 0;
#pragma unroll
    for (int first = 0; first < COUNT; first += 32) {
        if (first + lane < COUNT) sum += stored[first + lane];
    }
    return sum_of_warp(sum);
}

//! last-block-acq-rel cluster-last
// Releases what was stored before, and acquires what the blocks with earlier tickets have stored. A ticket is below
// `count`; after the last one, `tickets` is zero as before.
__device__ inline unsigned take_ticket(unsigned* tickets, unsigned count) {
    unsigned ticket;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(ticket) : "l"(tickets), "r"(count - 1) : "memory");
    return ticket;
}

//! two-launches two-launches-graph
template <int THREADS>
__device__ inline void sum_blocks(const {T}* values, {T}* partial) {
//! two-launches-dependent
template <int THREADS>
__device__ inline void sum_blocks(const {T}* values, {T}* partial) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
//! two-launches two-launches-graph two-launches-dependent
    const {T} sum = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// In a second launch, of a block of 32 threads per sum.
//! two-launches-graph
// Capture both launches once, in a CUDA graph.
//! two-launches-dependent
// Launch it with cudaLaunchAttributeProgrammaticStreamSerialization. `partial` must not be __restrict__.
//! two-launches two-launches-graph two-launches-dependent
__device__ inline void sum_partial(const {T}* partial, {T}* sums) {
//! two-launches-dependent
    asm volatile("griddepcontrol.wait;" ::: "memory");  // all that the first kernel has written is visible
//! two-launches two-launches-graph two-launches-dependent
    const {T} sum = sum_of_stored<{blocks}>(partial + blockIdx.x * {blocks});
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

//! last-block last-block-acq-rel
// `tickets` are zero before, and afterwards again.
template <int THREADS>
__device__ inline void grid_sum(const {T}* values, {T}* sums, {T}* partial, unsigned* tickets) {
    const {T} of_block = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x >= 32) return;
    const int group = blockIdx.x / {blocks};
    bool is_last = false;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = of_block;
//! last-block
        __threadfence();
        is_last = atomicInc(&tickets[group], {blocks} - 1) == {blocks} - 1;
        __threadfence();
//! last-block-acq-rel
        is_last = take_ticket(&tickets[group], {blocks}) == {blocks} - 1;
//! last-block last-block-acq-rel
    }
    if (!__shfl_sync(0xffffffffu, is_last, 0)) return;
    __syncwarp();  // the first lane knows what the other blocks have stored, and the others from here on
    const {T} sum = sum_of_stored<{blocks}>(partial + group * {blocks});
    if (threadIdx.x == 0) sums[group] = sum;
}

//! zero-add
// In a launch before, of a thread per sum.
__device__ inline void set_to_zero({T}* sums, int groups) {
    const int group = blockIdx.x * blockDim.x + threadIdx.x;
    if (group < groups) sums[group] = 0;
}

//! add zero-add
// `sums` are zero before.
template <int THREADS>
__device__ inline void grid_sum(const {T}* values, {T}* sums) {
    const {T} sum = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x == 0) atomicAdd(&sums[blockIdx.x / {blocks}], sum);
}

//! add-counted
// `counted` are zero before, and afterwards again: in one word, the sum of blocks in its upper half and their number
// in the lower one. Whoever gets the number of all others has their sum, too: no fence, and no other word has to be
// read.
template <int THREADS>
__device__ inline void grid_sum(const {T}* values, {T}* sums, unsigned long long* counted) {
    const {T} of_block = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x != 0) return;
    const int group = blockIdx.x / {blocks};
    const unsigned long long before = atomicAdd(&counted[group], (unsigned long long)unsigned(of_block) << 32 | 1);
    if (unsigned(before) != {blocks} - 1) return;
    sums[group] = {T}(unsigned(before >> 32) + unsigned(of_block));
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(&counted[group]), "l"(0ull) : "memory");
}

//! add-counted-few
// By PARTS blocks. `counted` are zero before, and afterwards again: in one word, the sum of blocks in its upper half
// and their number in the lower one. Whoever gets the number of all others has their sum, too: no fence, and no other
// word has to be read.
template <int THREADS, int PARTS, int COUNT>
__device__ inline void grid_sum(const {T}* values, {T}* sums, unsigned long long* counted) {
    const {T} of_block = sum_of_part<THREADS, PARTS, COUNT>(values);
    if (threadIdx.x != 0) return;
    const int group = blockIdx.x / PARTS;
    const unsigned long long before = atomicAdd(&counted[group], (unsigned long long)unsigned(of_block) << 32 | 1);
    if (unsigned(before) != PARTS - 1) return;
    sums[group] = {T}(unsigned(before >> 32) + unsigned(of_block));
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(&counted[group]), "l"(0ull) : "memory");
}

//! last-block-words-few
__device__ inline void store_word(unsigned long long* word, unsigned long long x) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(x) : "memory");
}
__device__ inline unsigned long long load_word(const unsigned long long* word) {
    unsigned long long x;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(word) : "memory");
    return x;
}

// A sum in the upper half of a word, and in the lower one that it is there.
__device__ inline unsigned long long word_of({T} sum) {
    unsigned bits;
    memcpy(&bits, &sum, sizeof bits);
    return (unsigned long long)bits << 32 | 1;
}
__device__ inline {T} sum_in(unsigned long long word) {
    const unsigned bits = word >> 32;
    {T} sum;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

// Lane 0 of the calling warp gets the sum of COUNT words, as soon as all are there. Afterwards, they are zero.
template <int COUNT>
__device__ inline {T} sum_of_words(unsigned long long* words) {
    constexpr int EACH = (COUNT + 31) / 32;
    const int lane = threadIdx.x % 32;
    unsigned long long word[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) word[i] = lane + i * 32 < COUNT ? load_word(&words[lane + i * 32]) : 0;
    {T} sum = 0;
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        if (lane + i * 32 >= COUNT) continue;
        while (unsigned(word[i]) == 0) word[i] = load_word(&words[lane + i * 32]);
        sum += sum_in(word[i]);
        store_word(&words[lane + i * 32], 0);
    }
    return sum_of_warp(sum);
}

// By PARTS blocks. `words`, one per block, and `tickets` are zero before, and afterwards again. A sum and the flag that
// it is there are one word, so that they need no fence. The block that takes the last ticket waits for the words of the
// others, each of which has executed its store before it took a ticket: it waits for no block that has yet to start.
template <int THREADS, int PARTS, int COUNT>
__device__ inline void grid_sum(const {T}* values, {T}* sums, unsigned long long* words, unsigned* tickets) {
    const {T} of_block = sum_of_part<THREADS, PARTS, COUNT>(values);
    if (threadIdx.x >= 32) return;
    const int group = blockIdx.x / PARTS;
    unsigned ticket = 0;
    if (threadIdx.x == 0) {
        store_word(&words[blockIdx.x], word_of(of_block));
        asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(ticket) : "l"(&tickets[group]), "r"(PARTS - 1) : "memory");
    }
    if (__shfl_sync(0xffffffffu, ticket, 0) != PARTS - 1) return;
    const {T} sum = sum_of_words<PARTS>(words + group * PARTS);
    if (threadIdx.x == 0) sums[group] = sum;
}

//! grid-barrier
// Launch it with cudaLaunchCooperativeKernel, because blocks wait for one another. The upper bit of `arrived`, which
// are zero before the first launch, changes when all blocks have arrived.
template <int THREADS>
__device__ inline void grid_sum(const {T}* values, {T}* sums, {T}* partial, unsigned* arrived) {
    const {T} of_block = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    const int group = blockIdx.x / {blocks}, rank = blockIdx.x % {blocks};
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = of_block;
        const unsigned step = rank == 0 ? 0x80000000u - ({blocks} - 1) : 1;
        unsigned before, now;
        asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;"
                     : "=r"(before) : "l"(&arrived[group]), "r"(step) : "memory");
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&arrived[group]) : "memory");
        } while (((before ^ now) & 0x80000000u) == 0);
    }
    __syncthreads();  // here, all threads know what all blocks have stored
    if (rank > 0 || threadIdx.x >= 32) return;
    const {T} sum = sum_of_stored<{blocks}>(partial + group * {blocks});
    if (threadIdx.x == 0) sums[group] = sum;
}

//! first-waits
// Launch it with cudaLaunchCooperativeKernel, because a block waits for others. `arrived` are zero before, and
// afterwards again.
template <int THREADS>
__device__ inline void grid_sum(const {T}* values, {T}* sums, {T}* partial, unsigned* arrived) {
    const {T} of_block = sum_of_block<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x >= 32) return;
    const int group = blockIdx.x / {blocks};
    const bool is_first = blockIdx.x % {blocks} == 0;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = of_block;
        if (!is_first) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(&arrived[group]) : "memory");
    }
    if (!is_first) return;
    if (threadIdx.x == 0) {
        unsigned count;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(&arrived[group]) : "memory");
        } while (count < {blocks} - 1);
        arrived[group] = 0;
    }
    __syncwarp();  // the first lane knows what the other blocks have stored, and the others from here on
    const {T} sum = sum_of_stored<{blocks}>(partial + group * {blocks});
    if (threadIdx.x == 0) sums[group] = sum;
}

//! cluster-last
// Call it in a kernel with __cluster_dims__(Cluster::SIZE). `tickets` are zero before, and afterwards again.
struct Cluster {
    static constexpr int SIZE = {blocks} % 8 == 0 ? 8 : {blocks} % 4 == 0 ? 4 : 2;
};

//! cluster-last one-cluster
// Where the first block of the cluster has what this one has in `own`.
__device__ inline unsigned in_first_block(const void* own) {
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(address) : "r"((unsigned)__cvta_generic_to_shared(own)));
    return address;
}

//! cluster-last
// Thread 0 of the first block of each cluster gets the sum of the cluster. Stores count their bytes at a barrier there.
template <int THREADS>
__device__ inline {T} sum_of_cluster({T} x) {
    __shared__ {T} of_blocks[Cluster::SIZE];
    __shared__ unsigned long long full;
    const unsigned barrier = (unsigned)__cvta_generic_to_shared(&full), rank = blockIdx.x % Cluster::SIZE;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    const {T} of_block = sum_of_block<THREADS>(x);
    // All blocks have started, the first one with its barrier. All lanes of a warp wait that do not end: others would
    // hold it up.
    if (threadIdx.x >= (rank == 0 ? 32 : 1)) return of_block;
    asm volatile("barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x != 0) return of_block;
    if (rank == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                     :: "r"(barrier), "n"(Cluster::SIZE * 4) : "memory");
    }
    unsigned bits;
    memcpy(&bits, &of_block, sizeof bits);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 :: "r"(in_first_block(&of_blocks[rank])), "r"(bits), "r"(in_first_block(&full)) : "memory");
    if (rank > 0) return of_block;
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
                     "selp.b32 %0, 1, 0, p;}" : "=r"(is_complete) : "r"(barrier) : "memory");
    } while (!is_complete);
    {T} sum = of_blocks[0];
#pragma unroll
    for (int i = 1; i < Cluster::SIZE; ++i) sum += of_blocks[i];
    return sum;
}

template <int THREADS>
__device__ inline void grid_sum(const {T}* values, {T}* sums, {T}* partial, unsigned* tickets) {
    const {T} of_cluster = sum_of_cluster<THREADS>(values[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x >= 32 || blockIdx.x % Cluster::SIZE > 0) return;
    constexpr int CLUSTERS = {blocks} / Cluster::SIZE;
    const int group = blockIdx.x / {blocks};
    if (CLUSTERS == 1) {
        if (threadIdx.x == 0) sums[group] = of_cluster;
        return;
    }
    bool is_last = false;
    if (threadIdx.x == 0) {
        partial[blockIdx.x / Cluster::SIZE] = of_cluster;
        is_last = take_ticket(&tickets[group], CLUSTERS) == CLUSTERS - 1;
    }
    if (!__shfl_sync(0xffffffffu, is_last, 0)) return;
    __syncwarp();  // the first lane knows what the other blocks have stored, and the others from here on
    const {T} sum = sum_of_stored<CLUSTERS>(partial + group * CLUSTERS);
    if (threadIdx.x == 0) sums[group] = sum;
}

//! one-block
// By one block, of a thread per vector up to 1,024 threads.
template <int THREADS, int COUNT>
__device__ inline void grid_sum(const {T}* values, {T}* sums) {
    static_assert(COUNT % 4 == 0);
    assert(reinterpret_cast<size_t>(values) % sizeof(Vector) == 0);
    constexpr int VECTORS = COUNT / 4;
    const Vector* const vectors = reinterpret_cast<const Vector*>(values) + blockIdx.x * VECTORS;
    const {T} sum = sum_of_block<THREADS>(sum_of_vectors<VECTORS, THREADS>(vectors, threadIdx.x));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

//! one-cluster
// By one cluster: call it in a kernel with __cluster_dims__(SIZE). Each warp sends its sum to the first block, where
// stores count their bytes at a barrier.
template <int THREADS, int SIZE, int COUNT>
__device__ inline void grid_sum(const {T}* values, {T}* sums) {
    static_assert(COUNT % 4 == 0 && THREADS % 32 == 0);
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(values) % sizeof(Vector) == 0);
    constexpr int VECTORS = COUNT / 4, WARPS = SIZE * THREADS / 32;
    __shared__ {T} of_warps[WARPS];
    __shared__ unsigned long long full;
    const unsigned barrier = (unsigned)__cvta_generic_to_shared(&full), rank = blockIdx.x % SIZE;
    const int group = blockIdx.x / SIZE, lane = threadIdx.x % 32, thread = rank * THREADS + threadIdx.x;
    if (thread == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    const Vector* const vectors = reinterpret_cast<const Vector*>(values) + group * VECTORS;
    const {T} of_warp = sum_of_warp(sum_of_vectors<VECTORS, SIZE * THREADS>(vectors, thread));
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");  // all blocks have started, the first with its barrier
    if (thread == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(barrier), "n"(WARPS * 4) : "memory");
    }
    if (lane == 0) {
        unsigned bits;
        memcpy(&bits, &of_warp, sizeof bits);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                     :: "r"(in_first_block(&of_warps[thread / 32])), "r"(bits), "r"(in_first_block(&full)) : "memory");
    }
    if (thread >= 32) return;
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
                     "selp.b32 %0, 1, 0, p;}" : "=r"(is_complete) : "r"(barrier) : "memory");
    } while (!is_complete);
    {T} sum = 0;
#pragma unroll
    for (int i = 0; i < WARPS; i += 32) {
        if (i + lane < WARPS) sum += of_warps[i + lane];
    }
    sum = sum_of_warp(sum);
    if (lane == 0) sums[group] = sum;
}
