// One sum of the values of many blocks, by fewer blocks with vectors of 16 bytes, and with fewer trips to the L2 cache.
#include "fast.cuh"

// One block of at most MOST threads per group.
template <int MOST, typename T>
__device__ void by_one_block(const T* values, T* sums) {
    constexpr int THREADS = fast::VECTORS < MOST ? fast::VECTORS : MOST;
    const auto* vectors = reinterpret_cast<const fast::Vector<T>*>(values) + size_t(blockIdx.x) * fast::VECTORS;
    const T sum = fast::sum_of_block<THREADS>(fast::sum_of_vectors<fast::VECTORS, THREADS>(vectors, threadIdx.x));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_grid_reduce_x_one_256(const T* values, T* sums) { by_one_block<256>(values, sums); }

template <typename T>
__global__ void LAUNCH_BOUNDS my_grid_reduce_x_one_512(const T* values, T* sums) { by_one_block<512>(values, sums); }

template <typename T>
__global__ void LAUNCH_BOUNDS my_grid_reduce_x_one_1024(const T* values, T* sums) { by_one_block<1024>(values, sums); }

// One warp per group: no barrier.
template <typename T>
__global__ void LAUNCH_BOUNDS my_grid_reduce_x_one_warp(const T* values, T* sums) {
    const auto* vectors = reinterpret_cast<const fast::Vector<T>*>(values) + size_t(blockIdx.x) * fast::VECTORS;
    const T sum = fast::sum_of_warp(fast::sum_of_vectors<fast::VECTORS, WARP>(vectors, threadIdx.x));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// PARTS blocks per group: the first warp gets the sum of its block.
template <int PARTS, typename T>
__device__ T sum_of_part(const T* values) {
    constexpr int EACH = fast::VECTORS / PARTS;  // vectors of a block
    static_assert(EACH * PARTS == fast::VECTORS);
    const auto* vectors = reinterpret_cast<const fast::Vector<T>*>(values) + size_t(blockIdx.x) * EACH;
    return fast::sum_of_block<BLOCK>(fast::sum_of_vectors<EACH, BLOCK>(vectors, threadIdx.x));
}

__device__ inline void store_word(unsigned long long* word, unsigned long long x) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(x) : "memory");
}
__device__ inline unsigned long long load_word(const unsigned long long* word) {
    unsigned long long x;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(word) : "memory");
    return x;
}
template <typename T>
__device__ unsigned long long as_word(T x) {
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return (unsigned long long)bits << 32 | 1;  // the lower half says that the upper one is there
}
template <typename T>
__device__ T from_word(unsigned long long word) {
    const unsigned bits = unsigned(word >> 32);
    T x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The sum of the words of a group, which are zero afterwards: a warp waits for each word.
template <int PARTS, typename T>
__device__ T sum_of_words(unsigned long long* words) {
    constexpr int EACH = (PARTS + WARP - 1) / WARP;
    unsigned long long word[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) word[i] = int(threadIdx.x) + i * WARP < PARTS ? load_word(&words[threadIdx.x + i * WARP]) : 1;
    T sum = 0;
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int at = threadIdx.x + i * WARP;
        while (unsigned(word[i]) == 0) word[i] = load_word(&words[at]);
        if (at < PARTS) {
            sum = add(sum, from_word<T>(word[i]));
            store_word(&words[at], 0);
        }
    }
    return fast::sum_of_warp(sum);
}

// A value and its flag are one word of 64 bits: no fence. Who takes the last ticket waits for the words of the others,
// which have stored theirs before they took a ticket: these stores are at most on their way, and no block has yet to start.
template <int PARTS, typename T>
__device__ void by_tickets(const T* values, T* sums, unsigned long long* words, unsigned* tickets) {
    const T of_block = sum_of_part<PARTS>(values);
    if (threadIdx.x >= WARP) return;
    const int group = blockIdx.x / PARTS;
    unsigned ticket = 0;
    if (threadIdx.x == 0) {
        store_word(&words[blockIdx.x], as_word(of_block));
        asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(ticket) : "l"(&tickets[group]), "r"(PARTS - 1) : "memory");
    }
    if (__shfl_sync(FULL_WARP, ticket, 0) != PARTS - 1) return;
    const T sum = sum_of_words<PARTS, T>(words + group * PARTS);
    if (threadIdx.x == 0) sums[group] = sum;
}

// As many blocks as `blocks`, a value per thread.
template <typename T>
__global__ void LAUNCH_BOUNDS
my_grid_reduce_x_ticket_words(const T* values, T* sums, unsigned long long* words, unsigned* tickets) {
    by_tickets<OPTION_BLOCKS>(values, sums, words, tickets);
}

// A quarter as many, a vector per thread.
template <typename T>
__global__ void LAUNCH_BOUNDS
my_grid_reduce_x_quarter_words(const T* values, T* sums, unsigned long long* words, unsigned* tickets) {
    by_tickets<OPTION_BLOCKS / 4>(values, sums, words, tickets);
}

// An eighth to a twelfth as many.
constexpr int FEW = OPTION_BLOCKS % 12 == 0 ? OPTION_BLOCKS / 12 : OPTION_BLOCKS / 8;
template <typename T>
__global__ void LAUNCH_BOUNDS
my_grid_reduce_x_few_words(const T* values, T* sums, unsigned long long* words, unsigned* tickets) {
    by_tickets<FEW>(values, sums, words, tickets);
}

// Only the first block of a group waits, for words with a value and its flag.
template <int PARTS, typename T>
__device__ void first_waits(const T* values, T* sums, unsigned long long* words) {
    const T of_block = sum_of_part<PARTS>(values);
    if (threadIdx.x >= WARP) return;
    const int group = blockIdx.x / PARTS;
    if (threadIdx.x == 0) store_word(&words[blockIdx.x], as_word(of_block));
    if (blockIdx.x % PARTS > 0) return;
    const T sum = sum_of_words<PARTS, T>(words + group * PARTS);
    if (threadIdx.x == 0) sums[group] = sum;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_grid_reduce_x_first_words(const T* values, T* sums, unsigned long long* words) {
    first_waits<OPTION_BLOCKS / 4>(values, sums, words);
}

// As `add-counted`: the sum of blocks and their number in one word.
template <int PARTS, typename T>
__device__ void counted_sum(const T* values, T* sums, unsigned long long* counted) {
    const T of_block = sum_of_part<PARTS>(values);
    if (threadIdx.x != 0) return;
    const int group = blockIdx.x / PARTS;
    const unsigned long long before = atomicAdd(&counted[group], as_word(of_block));
    if (unsigned(before) != PARTS - 1) return;
    sums[group] = T(unsigned(before >> 32) + unsigned(of_block));
    store_word(&counted[group], 0);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_grid_reduce_x_quarter_counted(const T* values, T* sums, unsigned long long* counted) {
    counted_sum<OPTION_BLOCKS / 4>(values, sums, counted);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_grid_reduce_x_few_counted(const T* values, T* sums, unsigned long long* counted) {
    counted_sum<FEW>(values, sums, counted);
}
