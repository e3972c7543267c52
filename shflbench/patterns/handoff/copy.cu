//: syncthreads syncthreads-ahead syncthreads-two-ahead named mbarrier mbarrier-threads mbarrier-once flag dtype=i32 stages=2,1
//: syncthreads-pairs syncthreads-pairs-ahead dtype=i32 stages=2

//! syncthreads syncthreads-ahead syncthreads-two-ahead named mbarrier mbarrier-threads mbarrier-once flag
// The threads of all warps of a block but the last one hand a value per call over to the last warp. Blocks must be
// one-dimensional and consist of BLOCK threads. `number` counts calls, from 0 on. `rows` is shared memory.
constexpr int STAGES_OF_ROWS = {stages};

//! syncthreads-pairs syncthreads-pairs-ahead
// The threads of all warps of a block but the last one hand two values per call over to the last warp. Blocks must be
// one-dimensional and consist of BLOCK threads. `number` counts values: 0, 2, 4 and so on. `rows` is shared memory.
struct alignas(2 * sizeof({T})) Pair {
    {T} first, second;
};

//! *
template <int BLOCK>
struct Rows {
    static_assert(BLOCK % 32 == 0 && BLOCK >= 64 && BLOCK <= 1024);
    static constexpr int PRODUCERS = BLOCK / 32 - 1;
//! mbarrier mbarrier-threads mbarrier-once
    unsigned long long full[STAGES_OF_ROWS], empty[STAGES_OF_ROWS];
//! flag
    int produced[PRODUCERS], consumed;
//! syncthreads syncthreads-ahead syncthreads-two-ahead named mbarrier mbarrier-threads mbarrier-once flag
    {T} value[STAGES_OF_ROWS][PRODUCERS][32];
//! syncthreads-pairs syncthreads-pairs-ahead
    Pair value[PRODUCERS][32];
//! *
};

//! syncthreads
// All threads of the block must call it. Those of the last warp call `use` with an array of a value of each producer;
// all others hand over what `make` returns.
template <int BLOCK, typename Make, typename Use>
__device__ void hand_over(int number, Rows<BLOCK>& rows, Make make, Use use) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    constexpr int PRODUCERS = Rows<BLOCK>::PRODUCERS;
    const int stage = number % STAGES_OF_ROWS, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp < PRODUCERS) rows.value[stage][warp][lane] = make();
    __syncthreads();  // producers have written
    if (warp >= PRODUCERS) {
        {T} got[PRODUCERS];
#pragma unroll
        for (int i = 0; i < PRODUCERS; ++i) got[i] = rows.value[stage][i][lane];
        use(got);
    }
    __syncthreads();  // the consumer has read: the row may be written again  //! stages=1
}

//! syncthreads-two-ahead
// What the last warp has loaded and not used yet: the values of two rows.
template <int BLOCK>
struct Loaded {
    {T} older[Rows<BLOCK>::PRODUCERS], newer[Rows<BLOCK>::PRODUCERS];
};

//! syncthreads-ahead syncthreads-two-ahead syncthreads-pairs syncthreads-pairs-ahead
// The barrier of __syncthreads(), which CUDA C++ does not allow in a branch that only some warps of the block take. PTX
// does; synccheck of compute-sanitizer reports it nevertheless. All warps must execute it equally often: call `put` and
// `get` for the same numbers.
__device__ inline void sync_block() { asm volatile("bar.sync 0;" ::: "memory"); }

//! syncthreads-ahead syncthreads-two-ahead
// All lanes of each producing warp must call it.
template <int BLOCK>
__device__ void put({T} x, int number, Rows<BLOCK>& rows) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    rows.value[number % STAGES_OF_ROWS][threadIdx.x / 32][threadIdx.x % 32] = x;
    sync_block();  // producers have written
    sync_block();  // the consumer has read: the row may be written again  //! stages=1
}

//! syncthreads-ahead
// All lanes of the last warp must call it, each time with the same `got`. It begins to load a row before it calls `use`
// with the values of the row before, which are in `got`. After the last call, call `use(got)` for the last row.
template <int BLOCK, typename Use>
__device__ void get({T} (&got)[Rows<BLOCK>::PRODUCERS], int number, Rows<BLOCK>& rows, Use use) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    constexpr int PRODUCERS = Rows<BLOCK>::PRODUCERS;
    sync_block();
    {T} next[PRODUCERS];
#pragma unroll
    for (int i = 0; i < PRODUCERS; ++i) next[i] = rows.value[number % STAGES_OF_ROWS][i][threadIdx.x % 32];
    sync_block();  //! stages=1
    if (number > 0) use(got);
#pragma unroll
    for (int i = 0; i < PRODUCERS; ++i) got[i] = next[i];
}

//! syncthreads-two-ahead
// All lanes of the last warp must call it, each time with the same `loaded`. It begins to load a row before it calls
// `use` with the values of the row before the last one. After the last call, call `use_last`.
template <int BLOCK, typename Use>
__device__ void get(Loaded<BLOCK>& loaded, int number, Rows<BLOCK>& rows, Use use) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    constexpr int PRODUCERS = Rows<BLOCK>::PRODUCERS;
    sync_block();
    {T} next[PRODUCERS];
#pragma unroll
    for (int i = 0; i < PRODUCERS; ++i) next[i] = rows.value[number % STAGES_OF_ROWS][i][threadIdx.x % 32];
    sync_block();  //! stages=1
    if (number > 1) use(loaded.older);
#pragma unroll
    for (int i = 0; i < PRODUCERS; ++i) {
        loaded.older[i] = loaded.newer[i];
        loaded.newer[i] = next[i];
    }
}

// Calls `use` with the values of the last two of `count` rows.
template <int BLOCK, typename Use>
__device__ void use_last(const Loaded<BLOCK>& loaded, int count, Use use) {
    if (count > 1) use(loaded.older);
    if (count > 0) use(loaded.newer);
}

//! syncthreads-pairs-ahead
// All lanes of each producing warp must call it.
template <int BLOCK>
__device__ void put(Pair pair, Rows<BLOCK>& rows) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    rows.value[threadIdx.x / 32][threadIdx.x % 32] = pair;
    sync_block();  // producers have written
    sync_block();  // the consumer has read the pairs: they may be overwritten
}

// All lanes of the last warp must call it, each time with the same `got`. It begins to load pairs before it calls `use`
// with the pairs before, which are in `got`. After the last call, use the last pairs in `got`.
template <int BLOCK, typename Use>
__device__ void get(Pair (&got)[Rows<BLOCK>::PRODUCERS], int number, Rows<BLOCK>& rows, Use use) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    sync_block();
    Pair next[Rows<BLOCK>::PRODUCERS];
#pragma unroll
    for (int i = 0; i < Rows<BLOCK>::PRODUCERS; ++i) next[i] = rows.value[i][threadIdx.x % 32];
    sync_block();
    if (number > 0) use(got);
#pragma unroll
    for (int i = 0; i < Rows<BLOCK>::PRODUCERS; ++i) got[i] = next[i];
}

//! syncthreads-pairs
// All lanes of each producing warp must call it.
template <int BLOCK>
__device__ void put(Pair pair, int number, Rows<BLOCK>& rows) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    if (number > 0) sync_block();  // the consumer has read the pairs before: they may be overwritten
    rows.value[threadIdx.x / 32][threadIdx.x % 32] = pair;
    sync_block();  // producers have written
}

// All lanes of the last warp must call it. `count` is the number of values; the last pair may have one only.
template <int BLOCK>
__device__ void get(Pair (&got)[Rows<BLOCK>::PRODUCERS], int number, int count, Rows<BLOCK>& rows) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    sync_block();
#pragma unroll
    for (int i = 0; i < Rows<BLOCK>::PRODUCERS; ++i) got[i] = rows.value[i][threadIdx.x % 32];
    if (number < count - 2) sync_block();  // the producers wait for it in the next call of `put`
}

//! named
// Named barriers 0 to 2 * STAGES_OF_ROWS - 1 must not be used otherwise, nor __syncthreads() from the first row on: its
// barrier is 0. Let FIRST_FULL be 1 for a kernel that needs it; each block then reserves a barrier more. Numbers are
// constants: for one that is known only at run time, each block reserves all 16 barriers that it may have, and fewer
// blocks fit on an SM.
enum { FIRST_FULL = 0, FIRST_EMPTY = FIRST_FULL + STAGES_OF_ROWS };

template <int BARRIER, int BLOCK>
__device__ inline void arrive_at() { asm volatile("bar.arrive %0, %1;" :: "n"(BARRIER), "n"(BLOCK) : "memory"); }

template <int BARRIER, int BLOCK>
__device__ inline void wait_at() { asm volatile("bar.sync %0, %1;" :: "n"(BARRIER), "n"(BLOCK) : "memory"); }

template <int FIRST, int BLOCK>
__device__ inline void arrive_at(int stage) {
    stage == 0 ? arrive_at<FIRST, BLOCK>() : arrive_at<FIRST + STAGES_OF_ROWS - 1, BLOCK>();
}

template <int FIRST, int BLOCK>
__device__ inline void wait_at(int stage) {
    stage == 0 ? wait_at<FIRST, BLOCK>() : wait_at<FIRST + STAGES_OF_ROWS - 1, BLOCK>();
}

//! mbarrier mbarrier-threads mbarrier-once
// From sm_90 on.
__device__ inline unsigned address_of(const unsigned long long* barrier) { return __cvta_generic_to_shared(barrier); }

__device__ inline void arrive_at(unsigned long long* barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(address_of(barrier)) : "memory");
}

__device__ inline void wait_at(unsigned long long* barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(address_of(barrier)), "r"(parity) : "memory");
    } while (!is_complete);
}

//! flag
__device__ inline void publish(int* counter, int count) {
    const unsigned address = __cvta_generic_to_shared(counter);
    asm volatile("st.release.cta.shared.u32 [%0], %1;" :: "r"(address), "r"(count) : "memory");
}

__device__ inline void wait_for(const int* counter, int least) {
    const unsigned address = __cvta_generic_to_shared(counter);
    int count;
    do {
        asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(count) : "r"(address) : "memory");
    } while (count < least);
}

//! mbarrier mbarrier-threads mbarrier-once flag
// All threads of the block must call it once.
template <int BLOCK>
__device__ void init(Rows<BLOCK>& rows) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
//! mbarrier mbarrier-threads mbarrier-once
    if (threadIdx.x < STAGES_OF_ROWS) {
        const unsigned full = address_of(&rows.full[threadIdx.x]), empty = address_of(&rows.empty[threadIdx.x]);
//! mbarrier
        constexpr int OF_PRODUCERS = Rows<BLOCK>::PRODUCERS, OF_CONSUMER = 1;  // arrivals: of warps
//! mbarrier-threads
        constexpr int OF_PRODUCERS = Rows<BLOCK>::PRODUCERS * 32, OF_CONSUMER = 32;  // arrivals: of threads
//! mbarrier-once
        constexpr int OF_PRODUCERS = 1, OF_CONSUMER = 1;  // arrivals
//! mbarrier mbarrier-threads mbarrier-once
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(full), "r"(OF_PRODUCERS) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(empty), "r"(OF_CONSUMER) : "memory");
    }
//! flag
    if (threadIdx.x < Rows<BLOCK>::PRODUCERS) rows.produced[threadIdx.x] = 0;
    if (threadIdx.x == 0) rows.consumed = 0;
//! mbarrier mbarrier-threads mbarrier-once flag
    __syncthreads();
}

//! named mbarrier mbarrier-threads mbarrier-once flag
// All lanes of each producing warp must call it.
//! mbarrier-once
// Named barrier 1 must not be used otherwise.
//! named mbarrier mbarrier-threads mbarrier-once flag
template <int BLOCK>
__device__ void put({T} x, int number, Rows<BLOCK>& rows) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int stage = number % STAGES_OF_ROWS, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
//! named
    if (number >= STAGES_OF_ROWS) wait_at<FIRST_EMPTY, BLOCK>(stage);  // the consumer has read the row
    rows.value[stage][warp][lane] = x;
    arrive_at<FIRST_FULL, BLOCK>(stage);
//! mbarrier mbarrier-threads mbarrier-once
    const int before = number - STAGES_OF_ROWS;
    if (before >= 0) wait_at(&rows.empty[stage], before / STAGES_OF_ROWS % 2);  // the consumer has read the row
    rows.value[stage][warp][lane] = x;
//! mbarrier
    __syncwarp();
    if (lane == 0) arrive_at(&rows.full[stage]);
//! mbarrier-threads
    arrive_at(&rows.full[stage]);
//! mbarrier-once
    asm volatile("bar.sync 1, %0;" :: "n"(Rows<BLOCK>::PRODUCERS * 32) : "memory");  // all producers have written
    if (threadIdx.x == 0) arrive_at(&rows.full[stage]);
//! flag
    if (lane == 0) wait_for(&rows.consumed, number + 1 - STAGES_OF_ROWS);  // the consumer has read the row
    __syncwarp();
    rows.value[stage][warp][lane] = x;
    __syncwarp();
    if (lane == 0) publish(&rows.produced[warp], number + 1);
//! named mbarrier mbarrier-threads mbarrier-once flag
}

// All lanes of the last warp must call it.
//! named
// `count` is the number of calls.
//! named mbarrier mbarrier-threads mbarrier-once flag
template <int BLOCK>
__device__ void get({T} (&got)[Rows<BLOCK>::PRODUCERS], int number, Rows<BLOCK>& rows) {  //! mbarrier mbarrier-threads mbarrier-once flag
__device__ void get({T} (&got)[Rows<BLOCK>::PRODUCERS], int number, int count, Rows<BLOCK>& rows) {  //! named
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int stage = number % STAGES_OF_ROWS, lane = threadIdx.x % 32;
    wait_at<FIRST_FULL, BLOCK>(stage);  //! named
    wait_at(&rows.full[stage], number / STAGES_OF_ROWS % 2);  //! mbarrier mbarrier-threads mbarrier-once
//! flag
    if (lane < Rows<BLOCK>::PRODUCERS) wait_for(&rows.produced[lane], number + 1);
    __syncwarp();
//! named mbarrier mbarrier-threads mbarrier-once flag
#pragma unroll
    for (int i = 0; i < Rows<BLOCK>::PRODUCERS; ++i) got[i] = rows.value[stage][i][lane];
//! named
    if (number < count - STAGES_OF_ROWS) arrive_at<FIRST_EMPTY, BLOCK>(stage);
//! mbarrier-threads
    arrive_at(&rows.empty[stage]);
//! mbarrier mbarrier-once flag
    __syncwarp();  // all lanes have read
    if (lane == 0) arrive_at(&rows.empty[stage]);  //! mbarrier mbarrier-once
    if (lane == 0) publish(&rows.consumed, number + 1);  //! flag
//! named mbarrier mbarrier-threads mbarrier-once flag
}
