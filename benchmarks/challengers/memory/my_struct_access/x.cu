// Challengers of `struct-access`, structs of 16 words. `threads` is the number of structs, a multiple of 32.
#include "bulk.cuh"

static_assert(OPTION_WORDS == 16);
constexpr int PIECES = 4;  // of 16 bytes in a struct
constexpr int OF_WARP = WARP * PIECES;

__device__ inline float4* pieces_of_warp(float* structs) {
    return reinterpret_cast<float4*>(structs) + (thread() - lane()) * PIECES;
}
__device__ inline const float4* pieces_of_warp(const float* structs) {
    return reinterpret_cast<const float4*>(structs) + (thread() - lane()) * PIECES;
}

// One store of 16 bytes: the compiler would make four of some.
__device__ inline void store4(float4* to, float4 x) {
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(to), "f"(x.x), "f"(x.y), "f"(x.z), "f"(x.w) : "memory");
}
__device__ inline void store4(float* to, float4 x) { store4(reinterpret_cast<float4*>(to), x); }

// A square of 4 x 4 words: piece `part` of the structs 4 * four ... 4 * four + 3 of the warp. It is transposed by naming
// registers differently, and four adjacent lanes have the pieces of one struct.
struct Square {
    int part, four;
    __device__ Square() : part(lane() % PIECES), four(lane() / PIECES) {}
    __device__ size_t of_plane(int word, int threads) const {
        return size_t(PIECES * part + word) * threads + thread() - lane() + 4 * four;
    }
    __device__ int place(int i) const { return (4 * four + i) * PIECES + part; }  // among the pieces of the warp
    // Where the warp keeps a piece in shared memory: both accesses of 8 lanes at a time are free of bank conflicts.
    static __device__ int slot(int place) { return place ^ place / 16 % 2 * 4; }

    static __device__ void transpose(float4 (&w)[4]) {
        const float4 a = w[0], b = w[1], c = w[2], d = w[3];
        w[0] = make_float4(a.x, b.x, c.x, d.x);
        w[1] = make_float4(a.y, b.y, c.y, d.y);
        w[2] = make_float4(a.z, b.z, c.z, d.z);
        w[3] = make_float4(a.w, b.w, c.w, d.w);
    }
    __device__ void load_planes(const float* planes, int threads, float4 (&w)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; ++i) w[i] = *reinterpret_cast<const float4*>(planes + of_plane(i, threads));
        transpose(w);
    }
    __device__ void store_planes(float* planes, int threads, float4 (&w)[4]) const {
        transpose(w);
#pragma unroll
        for (int i = 0; i < 4; ++i) store4(planes + of_plane(i, threads), w[i]);
    }
};

template <typename T>
__device__ void square(const T* structs, const T* planes, T* result, int threads) {
    const Square mine;
    float4 w[4];
#if OPTION_WAY_LOAD
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = pieces_of_warp(structs)[mine.place(i)];
    mine.store_planes(result, threads, w);
#else
    mine.load_planes(planes, threads, w);
#pragma unroll
    for (int i = 0; i < 4; ++i) store4(&pieces_of_warp(result)[mine.place(i)], w[i]);
#endif
}
template <typename T>
__global__ void __launch_bounds__(256, 8) my_struct_access_x_square(const T* s, const T* p, T* r, int threads) {
    square(s, p, r, threads);
}
template <typename T>  // with shared memory that it does not use, so that fewer blocks are resident
__global__ void __launch_bounds__(256, 4) my_struct_access_x_square4(const T* s, const T* p, T* r, int threads) {
    square(s, p, r, threads);
}
template <typename T>
__global__ void __launch_bounds__(256, 2) my_struct_access_x_square2(const T* s, const T* p, T* r, int threads) {
    square(s, p, r, threads);
}
template <typename T>
__global__ void __launch_bounds__(128, 16) my_struct_access_x_square128(const T* s, const T* p, T* r, int threads) {
    if (thread() < threads) square(s, p, r, threads);  // whole warps
}

// Pieces also go through shared memory, so that a warp accesses 512 adjacent bytes of structs at a time.
template <typename T>
__device__ void smem_wide(const T* structs, const T* planes, T* result, int threads) {
    float4* tile = shared<float4>() + first_of_warp() * PIECES;
    const Square mine;
    float4 w[4];
#if OPTION_WAY_LOAD
    const float4* from = pieces_of_warp(structs);
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = from[i * WARP + lane()];
#pragma unroll
    for (int i = 0; i < 4; ++i) tile[Square::slot(i * WARP + lane())] = w[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = tile[Square::slot(mine.place(i))];
    mine.store_planes(result, threads, w);
#else
    mine.load_planes(planes, threads, w);
#pragma unroll
    for (int i = 0; i < 4; ++i) tile[Square::slot(mine.place(i))] = w[i];
    __syncwarp();
    float4* to = pieces_of_warp(result);
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i * WARP + lane()] = tile[Square::slot(i * WARP + lane())];
#endif
}
template <typename T>
__global__ void __launch_bounds__(256, 8) my_struct_access_x_smem_wide(const T* s, const T* p, T* r, int threads) {
    smem_wide(s, p, r, threads);
}
template <typename T>  // with more shared memory than it uses
__global__ void __launch_bounds__(256, 4) my_struct_access_x_smem_wide4(const T* s, const T* p, T* r, int threads) {
    smem_wide(s, p, r, threads);
}

// A warp has 128 structs, and each lane four of them: a warp accesses 512 adjacent bytes of a plane at a time.
template <typename T>
__global__ void __launch_bounds__(128, 5) my_struct_access_x_tile(const T* structs, const T* planes, T* result, int threads) {
    constexpr int EACH = 4, TILE = EACH * OF_WARP;  // pieces
    float4* tile = shared<float4>() + threadIdx.x / WARP * TILE;
    const auto slot = [](int place) { return place ^ place / 16 % 8; };
    const int first = thread() / WARP * (EACH * WARP);  // struct of the warp
    const int mine = first + EACH * lane();  // of the lane
    float4 w[EACH][4];
#if OPTION_WAY_LOAD
    const float4* from = reinterpret_cast<const float4*>(structs) + size_t(first) * PIECES;
#pragma unroll
    for (int i = 0; i < TILE / WARP; ++i) {
        if (first * PIECES + i * WARP + lane() < threads * PIECES) w[i / 4][i % 4] = from[i * WARP + lane()];
    }
#pragma unroll
    for (int i = 0; i < TILE / WARP; ++i) {
        if (first * PIECES + i * WARP + lane() < threads * PIECES) tile[slot(i * WARP + lane())] = w[i / 4][i % 4];
    }
    __syncwarp();
    if (mine >= threads) return;
#pragma unroll
    for (int part = 0; part < 4; ++part) {
#pragma unroll
        for (int i = 0; i < 4; ++i) w[part][i] = tile[slot((EACH * lane() + i) * PIECES + part)];
        Square::transpose(w[part]);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            store4(result + size_t(part * 4 + i) * threads + mine, w[part][i]);
        }
    }
#else
    if (mine < threads) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            w[i / 4][i % 4] = *reinterpret_cast<const float4*>(planes + size_t(i) * threads + mine);
        }
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            Square::transpose(w[part]);
#pragma unroll
            for (int i = 0; i < 4; ++i) tile[slot((EACH * lane() + i) * PIECES + part)] = w[part][i];
        }
    }
    __syncwarp();
    float4* to = reinterpret_cast<float4*>(result) + size_t(first) * PIECES;
#pragma unroll
    for (int i = 0; i < TILE / WARP; ++i) {
        if (first * PIECES + i * WARP + lane() < threads * PIECES) to[i * WARP + lane()] = tile[slot(i * WARP + lane())];
    }
#endif
}

// The structs of a warp by one bulk copy of 2 KB.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_struct_access_x_bulk(const T* structs, const T* planes, T* result, int threads) {
    float4* tile = shared<float4>() + first_of_warp() * PIECES;
    const Square mine;
    float4 w[4];
#if OPTION_WAY_LOAD
    __shared__ Barrier arrived[WARP];
    Barrier* barrier = &arrived[threadIdx.x / WARP];
    if (lane() == 0) {
        init_barrier(barrier);
        fence_of_proxies();
        expect_bytes(barrier, OF_WARP * 16);
        bulk_load(tile, pieces_of_warp(structs), OF_WARP * 16, barrier);
    }
    __syncwarp();
    wait_barrier(barrier, 0);
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = tile[mine.place(i)];
    mine.store_planes(result, threads, w);
#else
    mine.load_planes(planes, threads, w);
#pragma unroll
    for (int i = 0; i < 4; ++i) tile[mine.place(i)] = w[i];
    fence_of_proxies();
    __syncwarp();
    if (lane() == 0) {
        bulk_store(pieces_of_warp(result), tile, OF_WARP * 16);
        wait_until_read();
    }
#endif
}

// The structs of a block by one bulk copy.
template <typename T>
__global__ void __launch_bounds__(256, 8)
my_struct_access_x_bulk_block(const T* structs, const T* planes, T* result, int threads) {
    float4* tile = shared<float4>() + first_of_warp() * PIECES;
    const int bytes = blockDim.x * PIECES * 16;
    const Square mine;
    float4 w[4];
#if OPTION_WAY_LOAD
    __shared__ Barrier arrived;
    if (threadIdx.x == 0) {
        init_barrier(&arrived);
        fence_of_proxies();
        expect_bytes(&arrived, bytes);
        bulk_load(shared<float4>(), structs + blockIdx.x * (blockDim.x * 16), bytes, &arrived);
    }
    __syncthreads();
    wait_barrier(&arrived, 0);
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = tile[mine.place(i)];
    mine.store_planes(result, threads, w);
#else
    mine.load_planes(planes, threads, w);
#pragma unroll
    for (int i = 0; i < 4; ++i) tile[mine.place(i)] = w[i];
    fence_of_proxies();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(result + blockIdx.x * (blockDim.x * 16), shared<float4>(), bytes);
        wait_until_read();
    }
#endif
}
