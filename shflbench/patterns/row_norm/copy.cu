//: smem shfl-block shfl-warp smem-warp dtype=f32,bf16 load=vector,scalar norm=rms,layer length=64,128,256,512,1024,4096,16384
//: shfl-one-row halving-warp dtype=f32,bf16 load=vector,scalar norm=rms,layer length=64,128,256
//: cub dtype=f32,bf16 load=vector norm=rms,layer length=64,128,256,512,1024,4096,16384

//! cub
#include <cub/block/block_reduce.cuh>

//! smem
// The sum of the values of all threads of the block, for all of them. `slots` is shared memory, one per thread.
template <int THREADS>
__device__ float row_sum(float x, float* slots) {
    slots[threadIdx.x] = x;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) slots[threadIdx.x] += slots[threadIdx.x + half];
        __syncthreads();
    }
    x = slots[0];
    __syncthreads();  // all threads have read: the slots may be written again
    return x;
}

//! shfl-block
// The sum of the values of all threads of the block, for all of them. `slots` is shared memory, one per warp.
template <int THREADS>
__device__ float row_sum(float x, float* slots) {
    for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(0xffffffffu, x, distance);
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = x;
    __syncthreads();
    x = slots[threadIdx.x % (THREADS / 32)];
    for (int distance = THREADS / 64; distance > 0; distance /= 2) x += __shfl_xor_sync(0xffffffffu, x, distance);
    __syncthreads();  // all threads have read: the slots may be written again
    return x;
}

//! cub
template <int THREADS>
struct RowStorage {
    typename ::cub::BlockReduce<float, THREADS>::TempStorage reduce;
    float total;
};

// The sum of the values of all threads of the block, for all of them. `slots` is in shared memory.
template <int THREADS>
__device__ float row_sum(float x, RowStorage<THREADS>* slots) {
    x = ::cub::BlockReduce<float, THREADS>(slots->reduce).Sum(x);
    if (threadIdx.x == 0) slots->total = x;
    __syncthreads();
    x = slots->total;
    __syncthreads();  // all threads have read: the storage may be used again
    return x;
}

//! shfl-warp shfl-one-row
// The sum of the values of each group of THREADS adjacent lanes, for all of them. All lanes of the warp must call it.
template <int THREADS>
__device__ float row_sum(float x) {
    for (int distance = THREADS / 2; distance > 0; distance /= 2) x += __shfl_xor_sync(0xffffffffu, x, distance);
    return x;
}

//! smem-warp
// The sum of the values of each group of THREADS adjacent lanes, for all of them. All lanes of the warp must call it.
// `slots` is shared memory, one per thread of the block.
template <int THREADS>
__device__ float row_sum(float x, float* slots) {
    const int mine = threadIdx.x, rank = mine % THREADS;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (rank / half == 1) slots[mine] = x;  // what the others read
        __syncwarp();
        if (rank < half) x += slots[mine + half];
    }
    if (rank == 0) slots[mine] = x;
    __syncwarp();
    return slots[mine - rank];  // the next call writes it after its first __syncwarp()
}

//! halving-warp
// Replaces each of ROWS numbers by finish(its sum over the THREADS adjacent lanes of a group), in all of these lanes.
// In each step a lane passes on half of its sums, until it has the sum of one row: it finishes this one only. All lanes
// of the warp must call it.
template <int THREADS, int ROWS, typename Finish>
__device__ void finish_sums(float (&x)[ROWS], Finish finish) {
#pragma unroll
    for (int step = 1; step < ROWS; step *= 2) {
        const int half = ROWS / 2 / step, distance = THREADS / 2 / step;
        const bool upper = threadIdx.x & distance;
#pragma unroll
        for (int n = 0; n < ROWS / 2; ++n) {
            if (n >= half) continue;
            const float other = __shfl_xor_sync(0xffffffffu, upper ? x[n] : x[n + half], distance);
            x[n] = (upper ? x[n + half] : x[n]) + other;
        }
    }
    for (int distance = THREADS / ROWS / 2; distance > 0; distance /= 2) {
        x[0] += __shfl_xor_sync(0xffffffffu, x[0], distance);
    }
    const float finished = finish(x[0]);
    for (int n = 0; n < ROWS; ++n) x[n] = __shfl_sync(0xffffffffu, finished, n * (THREADS / ROWS), THREADS);
}

// Normalizes ROWS rows of LENGTH elements, each `distance` elements after the one before: 2 or 4. All lanes of the warp
// must call it, the first THREADS of them with some rows, the next THREADS with others, and so on. THREADS is 32, or
// fewer if the row has less than 32 times 16 bytes: then 16 bytes for each. Blocks must be one-dimensional.
//! smem shfl-block cub
// Normalizes a row of LENGTH elements. All threads of the block must call it: a one-dimensional block of
// THREADS, a power of two from 64 to 1024, with at most 128 elements per thread, so that they fit its registers.
//! shfl-warp smem-warp length!=16384
// Normalizes a row of LENGTH elements. All lanes of the warp must call it, the first THREADS of them
// with one row, the next THREADS with another, and so on. THREADS is 32, or fewer if the row has less than 32 times
// 16 bytes: then 16 bytes for each. Blocks must be one-dimensional; they have at most 256 threads, so that the row fits
// the registers.
//! shfl-one-row
// Normalizes a row of LENGTH elements, which is read once. All lanes of the warp must call it, the first THREADS of
// them with one row, the next THREADS with another, and so on. THREADS is 32, or fewer if the row has less than 32
// times 16 bytes: then 16 bytes for each. Blocks must be one-dimensional.
//! shfl-warp smem-warp length=16384
// Normalizes a row of LENGTH elements, a multiple of 1024, which is read again in each pass, because it does not fit
// the registers of a warp. All lanes of the warp must call it; THREADS is 32. Blocks must be
// one-dimensional.
//! * norm=rms
// y = x / sqrt(mean of the squares of x + 0.00001) * weight.
//! * norm=layer
// y = (x - mean(x)) / sqrt(variance(x) + 0.00001) * weight + bias.
//! * load=vector
// All arrays must be aligned to 16 bytes.
//! smem shfl-block smem-warp
template <int LENGTH, int THREADS>
__device__ void normalize_row(const {T}* x, const {T}* weight, {T}* y, float* slots) {  //! norm=rms
__device__ void normalize_row(const {T}* x, const {T}* weight, const {T}* bias,  //! norm=layer
                              {T}* y, float* slots) {                            //! norm=layer
    static_assert(THREADS >= 64 && THREADS <= 1024 && (THREADS & (THREADS - 1)) == 0);  //! smem shfl-block
    static_assert(LENGTH <= 128 * THREADS);  //! smem shfl-block
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);  //! smem shfl-block
    static_assert(THREADS <= 32 && (THREADS & (THREADS - 1)) == 0);  //! smem-warp
    static_assert(LENGTH % 1024 == 0);  //! smem-warp length=16384
    assert(blockDim.y * blockDim.z == 1);  //! smem-warp
    assert(reinterpret_cast<size_t>(x) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(weight) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(bias) % 16 == 0);  //! load=vector norm=layer
    assert(reinterpret_cast<size_t>(y) % 16 == 0);  //! load=vector
    const auto sum_of_all = [&](float mine) { return row_sum<THREADS>(mine, slots); };
//! cub
template <int LENGTH, int THREADS>
__device__ void normalize_row(const {T}* x, const {T}* weight,                   //! norm=rms
__device__ void normalize_row(const {T}* x, const {T}* weight, const {T}* bias,  //! norm=layer
                              {T}* y, RowStorage<THREADS>* slots) {
    static_assert(THREADS >= 64 && THREADS <= 1024 && (THREADS & (THREADS - 1)) == 0);
    static_assert(LENGTH <= 128 * THREADS);
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(x) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(weight) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(bias) % 16 == 0);  //! load=vector norm=layer
    assert(reinterpret_cast<size_t>(y) % 16 == 0);  //! load=vector
    const auto sum_of_all = [&](float mine) { return row_sum<THREADS>(mine, slots); };
//! shfl-warp
template <int LENGTH, int THREADS>
__device__ void normalize_row(const {T}* x, const {T}* weight, {T}* y) {  //! norm=rms
__device__ void normalize_row(const {T}* x, const {T}* weight, const {T}* bias,  //! norm=layer
                              {T}* y) {                                          //! norm=layer
    static_assert(THREADS <= 32 && (THREADS & (THREADS - 1)) == 0);
    static_assert(LENGTH % 1024 == 0);  //! length=16384
    assert(blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(x) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(weight) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(bias) % 16 == 0);  //! load=vector norm=layer
    assert(reinterpret_cast<size_t>(y) % 16 == 0);  //! load=vector
    const auto sum_of_all = [&](float mine) { return row_sum<THREADS>(mine); };
//! smem shfl-block shfl-warp smem-warp cub load=vector
    constexpr int VECTOR = 16 / sizeof({T});  // elements of a load
//! smem shfl-block shfl-warp smem-warp cub load=scalar
    constexpr int VECTOR = 1;  // elements of a load
//! smem shfl-block cub
    constexpr int CHUNKS = (LENGTH + THREADS * VECTOR - 1) / (THREADS * VECTOR);
//! shfl-warp smem-warp length!=16384
    constexpr int CHUNKS = (LENGTH + THREADS * VECTOR - 1) / (THREADS * VECTOR);
//! shfl-warp smem-warp length=16384
    constexpr int CHUNKS = 32 / VECTOR;
    constexpr int PART = CHUNKS * VECTOR * THREADS;  // elements that the lanes have in registers at a time
//! smem shfl-block shfl-warp smem-warp cub
    const int rank = threadIdx.x % THREADS * VECTOR;
    float values[CHUNKS][VECTOR];
    const auto load = [&](int start) {
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            const int first = start + chunk * THREADS * VECTOR + rank;
//! smem shfl-block shfl-warp smem-warp cub load=vector
            alignas(16) {T} loaded[VECTOR] = {};
            if (first < LENGTH) *reinterpret_cast<uint4*>(loaded) = *reinterpret_cast<const uint4*>(x + first);
            for (int i = 0; i < VECTOR; ++i) values[chunk][i] = loaded[i];
//! smem shfl-block shfl-warp smem-warp cub load=scalar
            values[chunk][0] = first < LENGTH ? float(x[first]) : 0;
//! smem shfl-block shfl-warp smem-warp cub
        }
    };
//! smem shfl-block shfl-warp smem-warp cub norm=layer
    const auto sum = [&] {
        float sum = 0;
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            for (const float value : values[chunk]) sum += value;
        }
        return sum;
    };
    // The mean is subtracted from the values.
    const auto squares = [&](int start, float mean) {
        float sum = 0;
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            if (start + chunk * THREADS * VECTOR + rank >= LENGTH) continue;  // zeros beyond the row do not count
            for (float& value : values[chunk]) {
                value -= mean;
                sum += value * value;
            }
        }
        return sum;
    };
//! smem shfl-block shfl-warp smem-warp cub norm=rms
    const auto squares = [&] {
        float sum = 0;
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            for (const float value : values[chunk]) sum += value * value;
        }
        return sum;
    };
//! smem shfl-block shfl-warp smem-warp cub
    const auto store = [&](int start, float scale) {
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            const int first = start + chunk * THREADS * VECTOR + rank;
            if (first >= LENGTH) continue;
//! smem shfl-block shfl-warp smem-warp cub load=vector
            alignas(16) {T} weights[VECTOR], normal[VECTOR];
            *reinterpret_cast<uint4*>(weights) = *reinterpret_cast<const uint4*>(weight + first);
            alignas(16) {T} biases[VECTOR];                                                     //! norm=layer
            *reinterpret_cast<uint4*>(biases) = *reinterpret_cast<const uint4*>(bias + first);  //! norm=layer
            for (int i = 0; i < VECTOR; ++i) {
                const float scaled = values[chunk][i] * scale;
                normal[i] = scaled * float(weights[i]);           //! norm=rms
                normal[i] = fmaf(scaled, weights[i], biases[i]);  //! norm=layer
            }
            *reinterpret_cast<uint4*>(y + first) = *reinterpret_cast<uint4*>(normal);
//! smem shfl-block shfl-warp smem-warp cub load=scalar
            const float scaled = values[chunk][0] * scale;
            y[first] = scaled * float(weight[first]);         //! norm=rms
            y[first] = fmaf(scaled, weight[first], bias[first]);  //! norm=layer
//! smem shfl-block shfl-warp smem-warp cub
        }
    };
//! smem shfl-block cub
    load(0);
    const float mean = sum_of_all(sum()) / LENGTH;                                        //! norm=layer
    const float scale = sqrtf(LENGTH / (sum_of_all(squares(0, mean)) + LENGTH * 1e-5f));  //! norm=layer
    const float scale = sqrtf(LENGTH / (sum_of_all(squares()) + LENGTH * 1e-5f));         //! norm=rms
    store(0, scale);
}
//! shfl-warp smem-warp length!=16384
    load(0);
    const float mean = sum_of_all(sum()) / LENGTH;                                        //! norm=layer
    const float scale = sqrtf(LENGTH / (sum_of_all(squares(0, mean)) + LENGTH * 1e-5f));  //! norm=layer
    const float scale = sqrtf(LENGTH / (sum_of_all(squares()) + LENGTH * 1e-5f));         //! norm=rms
    store(0, scale);
}
//! shfl-warp smem-warp length=16384 norm=layer
    float total = 0;
    for (int start = 0; start < LENGTH; start += PART) {
        load(start);
        total += sum();
    }
    const float mean = sum_of_all(total) / LENGTH;
    float all_squares = 0;
    for (int start = 0; start < LENGTH; start += PART) {
        load(start);
        all_squares += squares(start, mean);
    }
    const float scale = sqrtf(LENGTH / (sum_of_all(all_squares) + LENGTH * 1e-5f));
    for (int start = 0; start < LENGTH; start += PART) {
        load(start);
        squares(start, mean);
        store(start, scale);
    }
}
//! shfl-warp smem-warp length=16384 norm=rms
    float all_squares = 0;
    for (int start = 0; start < LENGTH; start += PART) {
        load(start);
        all_squares += squares();
    }
    const float scale = sqrtf(LENGTH / (sum_of_all(all_squares) + LENGTH * 1e-5f));
    for (int start = 0; start < LENGTH; start += PART) {
        load(start);
        store(start, scale);
    }
}
//! shfl-one-row
template <int LENGTH, int THREADS>
__device__ inline void normalize_row(const {T}* x, const {T}* weight, {T}* y) {  //! norm=rms
__device__ inline void normalize_row(const {T}* x, const {T}* weight, const {T}* bias, {T}* y) {  //! norm=layer
    static_assert(THREADS <= 32 && (THREADS & (THREADS - 1)) == 0);
    assert(blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(x) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(weight) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(bias) % 16 == 0);  //! load=vector norm=layer
    assert(reinterpret_cast<size_t>(y) % 16 == 0);  //! load=vector
    constexpr int VECTOR = 16 / sizeof({T});  // elements of a load  //! load=vector
    constexpr int VECTOR = 1;  // elements of a load  //! load=scalar
    static_assert(LENGTH % (THREADS * VECTOR) == 0);
    constexpr int CHUNKS = LENGTH / (THREADS * VECTOR);
    const int rank = threadIdx.x % THREADS * VECTOR;

    float values[CHUNKS][VECTOR], weights[CHUNKS][VECTOR];
    float biases[CHUNKS][VECTOR];  //! norm=layer
    const auto load = [&](const {T}* row, float (&to)[CHUNKS][VECTOR], bool once) {
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            const {T}* from = row + chunk * THREADS * VECTOR + rank;
            const auto* wide = reinterpret_cast<const uint4*>(from);  //! load=vector
            alignas(16) {T} loaded[VECTOR];  //! load=vector
            *reinterpret_cast<uint4*>(loaded) = once ? __ldcs(wide) : *wide;  //! load=vector
            for (int i = 0; i < VECTOR; ++i) to[chunk][i] = loaded[i];  //! load=vector
            to[chunk][0] = once ? __ldcs(from) : *from;  //! load=scalar
        }
    };
    load(x, values, true);  // read once: do not evict the weights from L1
    load(weight, weights, false);  // before the shuffles wait for the row
    load(bias, biases, false);     //! norm=layer

    float mean = 0;  //! norm=layer
    for (const auto& chunk : values) {  //! norm=layer
        for (const float value : chunk) mean += value;  //! norm=layer
    }  //! norm=layer
    mean = row_sum<THREADS>(mean) / LENGTH;  //! norm=layer
    float squares = 0;
    for (auto& chunk : values) {
        for (float& value : chunk) {
            value -= mean;  //! norm=layer
            squares += value * value;
        }
    }
    const float scale = sqrtf(LENGTH / (row_sum<THREADS>(squares) + LENGTH * 1e-5f));

    for (int chunk = 0; chunk < CHUNKS; ++chunk) {
        {T}* to = y + chunk * THREADS * VECTOR + rank;
        alignas(16) {T} normal[VECTOR];
        for (int i = 0; i < VECTOR; ++i) {
            const float scaled = values[chunk][i] * scale;
            normal[i] = scaled * weights[chunk][i];                        //! norm=rms
            normal[i] = fmaf(scaled, weights[chunk][i], biases[chunk][i]);  //! norm=layer
        }
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<uint4*>(normal);  //! load=vector
        *to = normal[0];  //! load=scalar
    }
}

//! halving-warp
template <int LENGTH, int THREADS, int ROWS>
__device__ void normalize_rows(const {T}* x, const {T}* weight, {T}* y, int distance) {  //! norm=rms
__device__ void normalize_rows(const {T}* x, const {T}* weight, const {T}* bias,  //! norm=layer
                               {T}* y, int distance) {                            //! norm=layer
    static_assert(THREADS <= 32 && (THREADS & (THREADS - 1)) == 0);
    static_assert(ROWS == 2 || ROWS == 4);
    assert(blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(x) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(weight) % 16 == 0);  //! load=vector
    assert(reinterpret_cast<size_t>(bias) % 16 == 0);  //! load=vector norm=layer
    assert(reinterpret_cast<size_t>(y) % 16 == 0);  //! load=vector
    assert(distance * sizeof({T}) % 16 == 0);  //! load=vector
    constexpr int VECTOR = 16 / sizeof({T});  // elements of a load  //! load=vector
    constexpr int VECTOR = 1;  // elements of a load  //! load=scalar
    static_assert(LENGTH % (THREADS * VECTOR) == 0);
    constexpr int CHUNKS = LENGTH / (THREADS * VECTOR);
    const int rank = threadIdx.x % THREADS * VECTOR;
    const auto load = [&](const {T}* row, float (&values)[CHUNKS][VECTOR]) {
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            const {T}* from = row + chunk * THREADS * VECTOR + rank;
            alignas(16) {T} loaded[VECTOR];  //! load=vector
            *reinterpret_cast<uint4*>(loaded) = *reinterpret_cast<const uint4*>(from);  //! load=vector
            for (int i = 0; i < VECTOR; ++i) values[chunk][i] = loaded[i];  //! load=vector
            values[chunk][0] = *from;  //! load=scalar
        }
    };
    float values[ROWS][CHUNKS][VECTOR], weights[CHUNKS][VECTOR], scale[ROWS] = {};
    float biases[CHUNKS][VECTOR], mean[ROWS] = {};  //! norm=layer
    for (int n = 0; n < ROWS; ++n) load(x + n * distance, values[n]);
    load(weight, weights);  // before the shuffles wait for the rows
    load(bias, biases);  //! norm=layer

//! halving-warp norm=layer
    for (int n = 0; n < ROWS; ++n) {
        for (const auto& chunk : values[n]) {
            for (const float value : chunk) mean[n] += value;
        }
    }
    finish_sums<THREADS>(mean, [](float sum) { return sum / LENGTH; });
//! halving-warp
    for (int n = 0; n < ROWS; ++n) {
        for (auto& chunk : values[n]) {
            for (float& value : chunk) {
                value -= mean[n];  //! norm=layer
                scale[n] += value * value;
            }
        }
    }
    finish_sums<THREADS>(scale, [](float squares) { return sqrtf(LENGTH / (squares + LENGTH * 1e-5f)); });

    for (int n = 0; n < ROWS; ++n) {
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            {T}* to = y + n * distance + chunk * THREADS * VECTOR + rank;
            alignas(16) {T} normal[VECTOR];
            for (int i = 0; i < VECTOR; ++i) {
                const float scaled = values[n][chunk][i] * scale[n];
                normal[i] = scaled * weights[chunk][i];                        //! norm=rms
                normal[i] = fmaf(scaled, weights[chunk][i], biases[chunk][i]);  //! norm=layer
            }
            *reinterpret_cast<uint4*>(to) = *reinterpret_cast<uint4*>(normal);  //! load=vector
            *to = normal[0];  //! load=scalar
        }
    }
}
