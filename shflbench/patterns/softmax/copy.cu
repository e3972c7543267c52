//: smem shfl-block shfl-warp smem-warp dtype=f32,bf16 load=vector,scalar length=64,128,256,512,1024,4096,16384
//: cub dtype=f32,bf16 load=vector length=64,128,256,512,1024,4096,16384

//! cub
#include <cub/block/block_reduce.cuh>

//! *
// What combines the numbers of two threads.
struct RowSum {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct RowMax {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

//! smem
// Combines the values of all threads of the block, for all of them. `slots` is shared memory, one per thread.
template <int THREADS, typename Combine>
__device__ float combine_row(float x, Combine combine, float* slots) {
    slots[threadIdx.x] = x;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) slots[threadIdx.x] = combine(slots[threadIdx.x], slots[threadIdx.x + half]);
        __syncthreads();
    }
    x = slots[0];
    __syncthreads();  // all threads have read: the slots may be written again
    return x;
}

//! shfl-block
// Combines the values of all threads of the block, for all of them. `slots` is shared memory, one per warp.
template <int THREADS, typename Combine>
__device__ float combine_row(float x, Combine combine, float* slots) {
    for (int distance = 16; distance > 0; distance /= 2) {
        x = combine(x, __shfl_xor_sync(0xffffffffu, x, distance));
    }
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = x;
    __syncthreads();
    x = slots[threadIdx.x % (THREADS / 32)];
    for (int distance = THREADS / 64; distance > 0; distance /= 2) {
        x = combine(x, __shfl_xor_sync(0xffffffffu, x, distance));
    }
    __syncthreads();  // all threads have read: the slots may be written again
    return x;
}

//! cub
template <int THREADS>
struct RowStorage {
    typename ::cub::BlockReduce<float, THREADS>::TempStorage reduce;
    float total;
};

// Combines the values of all threads of the block, for all of them. `slots` is in shared memory.
template <int THREADS, typename Combine>
__device__ float combine_row(float x, Combine combine, RowStorage<THREADS>* slots) {
    x = ::cub::BlockReduce<float, THREADS>(slots->reduce).Reduce(x, combine);
    if (threadIdx.x == 0) slots->total = x;
    __syncthreads();
    x = slots->total;
    __syncthreads();  // all threads have read: the storage may be used again
    return x;
}

//! shfl-warp
// Combines the values of each group of THREADS adjacent lanes, for all of them. All lanes of the warp must call it.
template <int THREADS, typename Combine>
__device__ float combine_row(float x, Combine combine) {
    for (int distance = THREADS / 2; distance > 0; distance /= 2) {
        x = combine(x, __shfl_xor_sync(0xffffffffu, x, distance));
    }
    return x;
}

//! smem-warp
// Combines the values of each group of THREADS adjacent lanes, for all of them. All lanes of the warp must call it.
// `slots` is shared memory, one per thread of the block.
template <int THREADS, typename Combine>
__device__ float combine_row(float x, Combine combine, float* slots) {
    const int mine = threadIdx.x, rank = mine % THREADS;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (rank / half == 1) slots[mine] = x;  // what the others read
        __syncwarp();
        if (rank < half) x = combine(x, slots[mine + half]);
    }
    if (rank == 0) slots[mine] = x;
    __syncwarp();
    return slots[mine - rank];  // the next call writes it after its first __syncwarp()
}

//! smem shfl-block cub
// Writes the softmax of a row of LENGTH elements. All threads of the block must call it: a one-dimensional block of
// THREADS, a power of two from 64 to 1024, with at most 128 elements per thread, so that they fit its registers.
//! shfl-warp smem-warp length!=16384
// Writes the softmax of a row of LENGTH elements. All lanes of the warp must call it, the first THREADS of them
// with one row, the next THREADS with another, and so on. THREADS is 32, or fewer if the row has less than 32 times
// 16 bytes: then 16 bytes for each. Blocks must be one-dimensional; they have at most 256 threads, so that the row fits
// the registers.
//! shfl-warp smem-warp length=16384
// Writes the softmax of a row of LENGTH elements, a multiple of 1024, which is read again in each pass, because
// it does not fit the registers of a warp. All lanes of the warp must call it; THREADS is 32. Blocks must be
// one-dimensional.
//! * load=vector
// `x` and `y` must be aligned to 16 bytes.
//! smem shfl-block smem-warp
template <int LENGTH, int THREADS>
__device__ void softmax_row(const {T}* x, {T}* y, float* slots) {
    static_assert(THREADS >= 64 && THREADS <= 1024 && (THREADS & (THREADS - 1)) == 0);  //! smem shfl-block
    static_assert(LENGTH <= 128 * THREADS);  //! smem shfl-block
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);  //! smem shfl-block
    static_assert(THREADS <= 32 && (THREADS & (THREADS - 1)) == 0);  //! smem-warp
    static_assert(LENGTH % 1024 == 0);  //! smem-warp length=16384
    assert(blockDim.y * blockDim.z == 1);  //! smem-warp
    assert(reinterpret_cast<size_t>(x) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(y) % 16 == 0);  //! load=vector
    const auto of_all = [&](float mine, auto combine) { return combine_row<THREADS>(mine, combine, slots); };
//! cub
template <int LENGTH, int THREADS>
__device__ void softmax_row(const {T}* x, {T}* y, RowStorage<THREADS>* slots) {
    static_assert(THREADS >= 64 && THREADS <= 1024 && (THREADS & (THREADS - 1)) == 0);
    static_assert(LENGTH <= 128 * THREADS);
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(x) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(y) % 16 == 0);  //! load=vector
    const auto of_all = [&](float mine, auto combine) { return combine_row<THREADS>(mine, combine, slots); };
//! shfl-warp
template <int LENGTH, int THREADS>
__device__ void softmax_row(const {T}* x, {T}* y) {
    static_assert(THREADS <= 32 && (THREADS & (THREADS - 1)) == 0);
    static_assert(LENGTH % 1024 == 0);  //! length=16384
    assert(blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(x) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(y) % 16 == 0);  //! load=vector
    const auto of_all = [&](float mine, auto combine) { return combine_row<THREADS>(mine, combine); };
//! * load=vector
    constexpr int VECTOR = 16 / sizeof({T});  // elements of a load
//! * load=scalar
    constexpr int VECTOR = 1;  // elements of a load
//! smem shfl-block cub
    constexpr int CHUNKS = (LENGTH + THREADS * VECTOR - 1) / (THREADS * VECTOR);
//! shfl-warp smem-warp length!=16384
    constexpr int CHUNKS = (LENGTH + THREADS * VECTOR - 1) / (THREADS * VECTOR);
//! shfl-warp smem-warp length=16384
    constexpr int CHUNKS = 32 / VECTOR;
    constexpr int PART = CHUNKS * VECTOR * THREADS;  // elements that the lanes have in registers at a time
//! *
    const int rank = threadIdx.x % THREADS * VECTOR;
    const float lowest = __int_as_float(0xff800000);  // minus infinity
    float values[CHUNKS][VECTOR];
    const auto load = [&](int start) {
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            const int first = start + chunk * THREADS * VECTOR + rank;
//! * load=vector
            alignas(16) {T} loaded[VECTOR];
            if (first < LENGTH) *reinterpret_cast<uint4*>(loaded) = *reinterpret_cast<const uint4*>(x + first);
            for (int i = 0; i < VECTOR; ++i) values[chunk][i] = first < LENGTH ? float(loaded[i]) : lowest;
//! * load=scalar
            values[chunk][0] = first < LENGTH ? float(x[first]) : lowest;
//! *
        }
    };
    const auto largest_value = [&] {
        float largest = lowest;
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            for (const float value : values[chunk]) largest = fmaxf(largest, value);
        }
        return largest;
    };
    // Exponentials replace the values. Returns their sum.
    const auto exponentials = [&](float largest) {
        float sum = 0;
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            for (float& value : values[chunk]) {
                value = __expf(value - largest);
                sum += value;
            }
        }
        return sum;
    };
    const auto store = [&](int start, float scale) {
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            const int first = start + chunk * THREADS * VECTOR + rank;
            if (first >= LENGTH) continue;
//! * load=vector
            alignas(16) {T} result[VECTOR];
            for (int i = 0; i < VECTOR; ++i) result[i] = values[chunk][i] * scale;
            *reinterpret_cast<uint4*>(y + first) = *reinterpret_cast<uint4*>(result);
//! * load=scalar
            y[first] = values[chunk][0] * scale;
//! *
        }
    };
//! smem shfl-block cub
    load(0);
    const float largest = of_all(largest_value(), RowMax());
    const float scale = 1 / of_all(exponentials(largest), RowSum());
    store(0, scale);
}
//! shfl-warp smem-warp length!=16384
    load(0);
    const float largest = of_all(largest_value(), RowMax());
    const float scale = 1 / of_all(exponentials(largest), RowSum());
    store(0, scale);
}
//! shfl-warp smem-warp length=16384
    float largest = lowest;
    for (int start = 0; start < LENGTH; start += PART) {
        load(start);
        largest = fmaxf(largest, largest_value());
    }
    largest = of_all(largest, RowMax());
    float sum = 0;
    for (int start = 0; start < LENGTH; start += PART) {
        load(start);
        sum += exponentials(largest);
    }
    const float scale = 1 / of_all(sum, RowSum());
    for (int start = 0; start < LENGTH; start += PART) {
        load(start);
        exponentials(largest);
        store(start, scale);
    }
}
