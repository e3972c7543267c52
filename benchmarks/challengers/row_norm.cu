// RMSNorm of rows of 64 floats, 16 floats per thread: other lanes for a row, other ways to load and store it.
#include "bulk.cuh"
#include "normalize.cuh"

static_assert(LENGTH == 64);
constexpr int PARTS = 4;  // of 16 bytes, of a thread
constexpr int ROWS_OF_WARP = WARP * PARTS * 4 / LENGTH;

// The warp's rows are adjacent. This is the first float of a thread's part `i` from their start, where LANES_OF lanes share
// a row: adjacent lanes have adjacent parts of it, as far as it goes.
template <int LANES_OF>
struct Layout {
    static constexpr int ROWS = PARTS * LANES_OF * 4 / LENGTH;  // of a thread
    static constexpr int EACH = PARTS / ROWS;  // parts of a thread in a row
    static __device__ int column(int part) { return (part % EACH * LANES_OF + lane() % LANES_OF) * 4; }
    static __device__ int place(int part) {
        return (part / EACH * (WARP / LANES_OF) + lane() / LANES_OF) * LENGTH + column(part);
    }
};

__device__ inline size_t start_of_warp() { return size_t(blockIdx.x * BLOCK + first_of_warp()) * (PARTS * 4); }
__device__ inline float4 read_weight(const float* weight, int column) {
    return *reinterpret_cast<const float4*>(weight + column);
}
__device__ inline float squares(float4 v) { return (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w); }
__device__ inline float scale_of(float sum) {
    return __fsqrt_rn(__fdiv_rn(LENGTH, __fadd_rn(sum, LENGTH * EPSILON)));
}
__device__ inline float4 scaled(float4 v, float scale, float4 w) {
    return make_float4(__fmul_rn(__fmul_rn(v.x, scale), w.x), __fmul_rn(__fmul_rn(v.y, scale), w.y),
                       __fmul_rn(__fmul_rn(v.z, scale), w.z), __fmul_rn(__fmul_rn(v.w, scale), w.w));
}

// The factors of a thread's rows: a butterfly for each.
template <int LANES_OF>
__device__ void scales_of(const float4 (&v)[PARTS], float (&scale)[Layout<LANES_OF>::ROWS]) {
    using At = Layout<LANES_OF>;
#pragma unroll
    for (int n = 0; n < At::ROWS; ++n) {
        scale[n] = squares(v[n * At::EACH]);
#pragma unroll
        for (int i = 1; i < At::EACH; ++i) scale[n] += squares(v[n * At::EACH + i]);
    }
#pragma unroll
    for (int distance = LANES_OF / 2; distance > 0; distance /= 2) {
#pragma unroll
        for (int n = 0; n < At::ROWS; ++n) scale[n] += shfl_xor(scale[n], distance);
    }
#pragma unroll
    for (int n = 0; n < At::ROWS; ++n) scale[n] = scale_of(scale[n]);
}

struct PlainStore {
    __device__ void operator()(float4* to, float4 x) const { *to = x; }
};
struct StreamingStore {
    __device__ void operator()(float4* to, float4 x) const { __stcs(to, x); }
};
struct PastL1 {
    __device__ float4 operator()(const float4* at) const {
        float4 x;
        asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "l"(at));
        return x;
    }
};

// Loads, calls `between`, reduces and stores.
template <int LANES_OF, typename Read, typename Store, typename Between>
__device__ void normalize(const float* x, const float* weight, float* y, Read read, Store store, Between between) {
    using At = Layout<LANES_OF>;
    const float* from = x + start_of_warp();
    float* to = y + start_of_warp();
    float4 v[PARTS], w[At::EACH];
    float scale[At::ROWS];
#pragma unroll
    for (int i = 0; i < PARTS; ++i) v[i] = read(reinterpret_cast<const float4*>(from + At::place(i)));
    between();
    scales_of<LANES_OF>(v, scale);
#pragma unroll
    for (int i = 0; i < At::EACH; ++i) w[i] = read_weight(weight, At::column(i));
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        store(reinterpret_cast<float4*>(to + At::place(i)), scaled(v[i], scale[i / At::EACH], w[i % At::EACH]));
    }
}
struct Nothing {
    __device__ void operator()() const {}
};

// Four lanes per row: two shuffles, one root and one quotient per thread.
template <typename T>
__global__ void __launch_bounds__(BLOCK, 1536 / BLOCK)
my_row_norm_x_quad(const T* x, const T* weight, const T*, T* y) {
    using At = Layout<4>;
    const float* from = x + start_of_warp();
    float* to = y + start_of_warp();
    float4 v[PARTS];
    float scale[1];
#pragma unroll
    for (int i = 0; i < PARTS; ++i) v[i] = __ldcs(reinterpret_cast<const float4*>(from + At::place(i)));
    scales_of<4>(v, scale);
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {  // one weight at a time in registers: the compiler moves no load before a store
        *reinterpret_cast<float4*>(to + At::place(i)) = scaled(v[i], scale[0], read_weight(weight, At::column(i)));
    }
}

// Eight lanes per row, so that loads and stores cover whole lines: six shuffles, two roots and quotients per thread.
template <typename T>
__global__ void __launch_bounds__(BLOCK, 1536 / BLOCK)
my_row_norm_x_octet(const T* x, const T* weight, const T*, T* y) {
    normalize<8>(x, weight, y, ReadOnce(), PlainStore(), Nothing());
}

// The same with loads past L1 and streaming stores.
template <typename T>
__global__ void __launch_bounds__(BLOCK, 1536 / BLOCK)
my_row_norm_x_stream(const T* x, const T* weight, const T*, T* y) {
    normalize<8>(x, weight, y, PastL1(), StreamingStore(), Nothing());
}

// The same; while its loads are in flight, a block asks for what its successor on the SM will load.
template <typename T>
__global__ void __launch_bounds__(BLOCK, 1536 / BLOCK)
my_row_norm_x_prefetch(const T* x, const T* weight, const T*, T* y) {
    normalize<8>(x, weight, y, ReadOnce(), PlainStore(), [&] {
        if (threadIdx.x != 0) return;
        unsigned sms;
        asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
        const unsigned next = blockIdx.x + sms * (1536 / BLOCK);
        if (next < gridDim.x) prefetch_bytes(x + size_t(next) * (BLOCK * PARTS * 4), BLOCK * PARTS * 4 * sizeof(T));
    });
}

// 16 lanes per row, as in `shfl-warp`; but in each step of the reduction a lane passes on half of its sums, so that five
// shuffles sum four rows and each lane has the sum of one: one root and one quotient. Four more shuffles distribute them.
template <typename T>
__global__ void __launch_bounds__(BLOCK, 1536 / BLOCK)
my_row_norm_x_halving(const T* x, const T* weight, const T*, T* y) {
    using At = Layout<16>;
    const float* from = x + start_of_warp();
    float* to = y + start_of_warp();
    float4 v[PARTS];
#pragma unroll
    for (int i = 0; i < PARTS; ++i) v[i] = __ldcs(reinterpret_cast<const float4*>(from + At::place(i)));
    const float4 w = read_weight(weight, At::column(0));
    const bool high = lane() & 8, odd = lane() & 4;
    const float a = squares(v[0]), b = squares(v[1]), c = squares(v[2]), d = squares(v[3]);
    const float even_sum = (high ? c : a) + shfl_xor(high ? a : c, 8);
    const float odd_sum = (high ? d : b) + shfl_xor(high ? b : d, 8);
    float sum = (odd ? odd_sum : even_sum) + shfl_xor(odd ? even_sum : odd_sum, 4);
    sum += shfl_xor(sum, 2);
    sum += shfl_xor(sum, 1);
    const float scale = scale_of(sum);
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        const float of_row = __shfl_sync(FULL_WARP, scale, 4 * i, 16);
        *reinterpret_cast<float4*>(to + At::place(i)) = scaled(v[i], of_row, w);
    }
}

// One row of an octet of lanes: two parts of a thread from `read`, two parts to `store`.
template <typename Read, typename Store>
__device__ void normalize_row(int row, const float* weight, Read read, Store store) {
    using At = Layout<8>;
    const float4 a = read(row * 2), b = read(row * 2 + 1);
    float sum = squares(a) + squares(b);
#pragma unroll
    for (int distance = 4; distance > 0; distance /= 2) sum += shfl_xor(sum, distance);
    const float scale = scale_of(sum);
    const float4 wa = read_weight(weight, At::column(0)), wb = read_weight(weight, At::column(1));
    store(row * 2, scaled(a, scale, wa));
    store(row * 2 + 1, scaled(b, scale, wb));
}

// Asynchronous copies past L1 to slots of shared memory that only the same thread reads. A row is stored while the next is
// in flight, and few registers are needed: eight blocks of 256 threads fit an SM.
template <typename T>
__global__ void __launch_bounds__(BLOCK, 2048 / BLOCK)
my_row_norm_x_cp_async(const T* x, const T* weight, const T*, T* y) {
    using At = Layout<8>;
    float4* slots = shared<float4>() + threadIdx.x;
    const float* from = x + start_of_warp();
    float* to = y + start_of_warp();
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        start_copy(&slots[i * BLOCK], from + At::place(i));
        if (i % 2 == 1) end_group();
    }
    const auto read = [&](int i) { return slots[i * BLOCK]; };
    const auto store = [&](int i, float4 normal) { *reinterpret_cast<float4*>(to + At::place(i)) = normal; };
    wait_for_groups<1>();
    normalize_row(0, weight, read, store);
    wait_for_groups<0>();
    normalize_row(1, weight, read, store);
}

// Each warp loads its eight rows by one bulk copy and stores them by another; they become normal in place.
template <typename T>
__global__ void __launch_bounds__(BLOCK, 2048 / BLOCK)
my_row_norm_x_bulk(const T* x, const T* weight, const T*, T* y) {
    using At = Layout<8>;
    constexpr unsigned BYTES = ROWS_OF_WARP * LENGTH * sizeof(T);
    __shared__ Barrier arrived[BLOCK / WARP];
    float* rows = shared<float>() + threadIdx.x / WARP * (ROWS_OF_WARP * LENGTH);
    Barrier* barrier = &arrived[threadIdx.x / WARP];
    if (lane() == 0) {
        init_barrier(barrier);
        fence_of_proxies();
        expect_bytes(barrier, BYTES);
        bulk_load(rows, x + start_of_warp(), BYTES, barrier);
    }
    __syncwarp();
    wait_barrier(barrier, 0);
    const auto read = [&](int i) { return *reinterpret_cast<const float4*>(rows + At::place(i)); };
    const auto store = [&](int i, float4 normal) {
        asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};"
                     :: "r"(shared_address(rows + At::place(i))), "f"(normal.x), "f"(normal.y), "f"(normal.z), "f"(normal.w)
                     : "memory");
    };
#pragma unroll
    for (int row = 0; row < At::ROWS; ++row) normalize_row(row, weight, read, store);
    fence_of_proxies();
    __syncwarp();
    if (lane() == 0) {
        bulk_store(y + start_of_warp(), rows, BYTES);
        wait_until_read();
    }
}
