//: ldg-sts ldg-sts-ahead cp-async cp-async-4 bulk bulk-4 dtype=i32 tiles=16,64

//! *
// Copies {tiles} tiles of BLOCK words of 16 bytes to shared memory one by one, and calls `use(tile)` for each of them.
// All threads of the block must call it. Blocks must be one-dimensional and consist of BLOCK threads.
// `from` points to the block's tiles in global memory, aligned to 16 bytes.
//! ldg-sts
// `tiles` is shared memory, one tile.
//! ldg-sts-ahead
// `tiles` is shared memory, two tiles. Call __syncthreads() before you use it otherwise.
//! cp-async
// From sm_80 on. `tiles` is shared memory, two tiles. Call __syncthreads() before you use it otherwise.
//! cp-async-4
// From sm_80 on. `tiles` is shared memory, four tiles. Call __syncthreads() before you use it otherwise.
//! bulk
// From sm_90 on. `tiles` is shared memory, two tiles, aligned to 16 bytes; `copied` are two words there.
//! bulk-4
// From sm_90 on. `tiles` is shared memory, four tiles, aligned to 16 bytes; `copied` are four words there.
//! bulk bulk-4
// Call end_copies() before you use either again.
__device__ inline unsigned shared_place(const void* pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

// What threads did with shared memory before comes before copies that start later.
__device__ inline void fence_before_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ inline void wait_for_copy(unsigned long long* barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(shared_place(barrier)), "r"(parity) : "memory");
    } while (!is_complete);
}

//! *
template <int BLOCK, typename Use>
__device__ void for_tiles(const uint4* from, uint4 (*tiles)[BLOCK], Use use) {  //! ldg-sts ldg-sts-ahead cp-async cp-async-4
__device__ void for_tiles(const uint4* from, uint4 (*tiles)[BLOCK], unsigned long long* copied, Use use) {  //! bulk bulk-4
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(from) % 16 == 0);
    assert(reinterpret_cast<size_t>(tiles) % 16 == 0);
    constexpr int TILES_TO_USE = {tiles};
//! ldg-sts ldg-sts-ahead cp-async cp-async-4
    const uint4* words = from + threadIdx.x;  // of this thread
//! ldg-sts
    for (int number = 0; number < TILES_TO_USE; ++number) {
        tiles[0][threadIdx.x] = words[number * BLOCK];
        __syncthreads();
        use(tiles[0]);
        __syncthreads();  // all threads have read: the tile may be written again
    }
//! ldg-sts-ahead
    uint4 next = words[0];
    for (int number = 0; number < TILES_TO_USE; ++number) {
        tiles[number % 2][threadIdx.x] = next;
        if (number + 1 < TILES_TO_USE) next = words[(number + 1) * BLOCK];
        __syncthreads();  // all threads have written this tile, and none still reads the other one
        use(tiles[number % 2]);
    }
//! cp-async cp-async-4
    constexpr int STAGES = 2;  //! cp-async
    constexpr int STAGES = 4;  //! cp-async-4
    const auto start = [&](int number) {
        if (number < TILES_TO_USE) {
            const unsigned to = __cvta_generic_to_shared(&tiles[number % STAGES][threadIdx.x]);
            const uint4* word = words + number * BLOCK;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(word) : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    #pragma unroll
    for (int number = 0; number < STAGES - 1; ++number) start(number);
    for (int number = 0; number < TILES_TO_USE; ++number) {
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
        __syncthreads();  // all threads have their copies, and none still reads the tile that is copied next
        start(number + STAGES - 1);
        use(tiles[number % STAGES]);
    }
//! bulk bulk-4
    constexpr int STAGES = 2;  //! bulk
    constexpr int STAGES = 4;  //! bulk-4
    const bool is_first = threadIdx.x == 0;
    const auto start = [&](int number) {
        if (is_first && number < TILES_TO_USE) {
            const unsigned to = shared_place(tiles[number % STAGES]), counts = shared_place(&copied[number % STAGES]);
            constexpr unsigned BYTES = BLOCK * 16;
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(counts), "r"(BYTES) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                         :: "r"(to), "l"(from + number * BLOCK), "r"(BYTES), "r"(counts) : "memory");
        }
    };
    if (is_first) {
        for (int i = 0; i < STAGES; ++i) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(shared_place(&copied[i])) : "memory");
        }
        fence_before_copies();
    }
    __syncthreads();
    #pragma unroll
    for (int number = 0; number < STAGES - 1; ++number) start(number);
    #pragma unroll
    for (int number = 0; number < TILES_TO_USE; ++number) {
        wait_for_copy(&copied[number % STAGES], number / STAGES % 2);
        fence_before_copies();
        __syncthreads();  // no thread still reads the tile that is copied next
        start(number + STAGES - 1);
        use(tiles[number % STAGES]);
    }
//! *
}

//! bulk bulk-4
// After for_tiles, ends its use of the tiles and of `copied`. All threads of the block must call it.
__device__ inline void end_copies(unsigned long long* copied) {
    constexpr int STAGES = 2;  //! bulk
    constexpr int STAGES = 4;  //! bulk-4
    fence_before_copies();
    __syncthreads();  // all threads have read: the tiles may be written again
    if (threadIdx.x > 0) return;
    for (int i = 0; i < STAGES; ++i) {
        asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(shared_place(&copied[i])) : "memory");
    }
}
