// Stores structs of 16 words. A lane loads four planes, four neighbors of each at a time: a square of 4 x 4 words, which
// it transposes by naming its registers differently. Its pieces of 16 bytes belong to four structs.
#include "bulk.cuh"

constexpr int PIECES = 4;  // of 16 bytes in a struct

// Piece `part` of the structs 4 * four ... 4 * four + 3 of the warp.
struct Square {
    int part, four;
    float4 piece[4];  // [struct]

    // Adjacent lanes have the parts of one struct: a store covers 64 adjacent bytes, a load whole sectors of 32.
    __device__ Square() : part(lane() % PIECES), four(lane() / PIECES) {}
    __device__ const float* plane(const float* planes, int word) const {
        const int threads = gridDim.x * blockDim.x;
        return planes + (PIECES * part + word) * threads + thread() - lane() + 4 * four;
    }
    __device__ void transpose(const float4 (&w)[4]) {
        piece[0] = make_float4(w[0].x, w[1].x, w[2].x, w[3].x);
        piece[1] = make_float4(w[0].y, w[1].y, w[2].y, w[3].y);
        piece[2] = make_float4(w[0].z, w[1].z, w[2].z, w[3].z);
        piece[3] = make_float4(w[0].w, w[1].w, w[2].w, w[3].w);
    }
    template <typename Read>
    __device__ void load(const float* planes, Read read) {
        float4 w[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) w[i] = read(reinterpret_cast<const float4*>(plane(planes, i)));
        transpose(w);
    }
    // The number of a piece among the 128 of the warp.
    __device__ int place(int i) const { return (4 * four + i) * PIECES + part; }
};

__device__ inline float4* of_warp(float* structs) {
    return reinterpret_cast<float4*>(structs) + (thread() - lane()) * PIECES;
}
struct Plain {
    __device__ float4 operator()(const float4* at) const { return *at; }
};
struct Once {
    __device__ float4 operator()(const float4* at) const { return __ldcs(at); }
};

// No exchange at all.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_struct_access_x_square(const T*, const T* planes, T* result) {
    Square mine;
    mine.load(planes, Plain());
    float4* to = of_warp(result);
#pragma unroll
    for (int i = 0; i < 4; ++i) to[mine.place(i)] = mine.piece[i];
}

// The same with hints that nothing is used again.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_struct_access_x_stream(const T*, const T* planes, T* result) {
    Square mine;
    mine.load(planes, Once());
    float4* to = of_warp(result);
#pragma unroll
    for (int i = 0; i < 4; ++i) __stcs(&to[mine.place(i)], mine.piece[i]);
}

// Lanes 4 apart exchange half of their pieces by 8 shuffles: each store covers whole lines of 128 bytes.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_struct_access_x_pair(const T*, const T* planes, T* result) {
    Square mine;
    mine.load(planes, Plain());
    const bool odd = mine.four & 1;  // has the structs 4 to 7 of eight, and gets the odd ones of all
    float4* to = of_warp(result) + (mine.four / 2 * 8 + odd) * PIECES + mine.part;
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        const float4 even_piece = mine.piece[i], odd_piece = mine.piece[i + 1];
        const auto choose = [](bool which, float4 a, float4 b) {
            return make_float4(which ? a.x : b.x, which ? a.y : b.y, which ? a.z : b.z, which ? a.w : b.w);
        };
        const float4 kept = choose(odd, odd_piece, even_piece);
        const float4 got = shfl_xor(choose(odd, even_piece, odd_piece), 4);
        to[i * PIECES] = choose(odd, got, kept);
        to[(4 + i) * PIECES] = choose(odd, kept, got);
    }
}

// Four stores to shared memory and four loads from it, 16 bytes each and without bank conflicts; then each store covers
// 512 adjacent bytes.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_struct_access_x_smem_wide(const T*, const T* planes, T* result) {
    float4* tile = shared<float4>() + (threadIdx.x - lane()) * PIECES;
    Square mine;
    mine.load(planes, Plain());
#pragma unroll
    for (int i = 0; i < 4; ++i) tile[mine.place(i) ^ mine.four % 2 * 4] = mine.piece[i];
    __syncwarp();
    float4* to = of_warp(result);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int place = i * WARP + lane();
        to[place] = tile[place ^ place / 16 % 2 * 4];
    }
}

// Each warp stores its structs by one bulk copy of 2 KB from shared memory.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_struct_access_x_bulk_store(const T*, const T* planes, T* result) {
    float4* tile = shared<float4>() + (threadIdx.x - lane()) * PIECES;
    Square mine;
    mine.load(planes, Plain());
#pragma unroll
    for (int i = 0; i < 4; ++i) tile[mine.place(i)] = mine.piece[i];
    fence_of_proxies();
    __syncwarp();
    if (lane() == 0) {
        bulk_store(of_warp(result), tile, WARP * PIECES * sizeof(float4));
        wait_until_read();
    }
}

// Asynchronous copies to shared memory, past L1; each lane reads only its own, so that no barrier is needed.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_struct_access_x_cp_async(const T*, const T* planes, T* result) {
    float4* slots = shared<float4>() + threadIdx.x;
    Square mine;
#pragma unroll
    for (int i = 0; i < 4; ++i) start_copy(&slots[i * blockDim.x], mine.plane(planes, i));
    end_group();
    wait_for_groups<0>();
    float4 w[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = slots[i * blockDim.x];
    mine.transpose(w);
    float4* to = of_warp(result);
#pragma unroll
    for (int i = 0; i < 4; ++i) to[mine.place(i)] = mine.piece[i];
}

// Bulk copies in both directions: 16 of the block's part of a plane, and one of all its structs. In between, each thread
// reads the words of its own struct, and writes them in pieces of 16 bytes; the order of the pieces avoids bank conflicts.
template <typename T>
__global__ void LAUNCH_BOUNDS my_struct_access_x_bulk(const T*, const T* planes, T* result) {
    constexpr int WORDS_OF_STRUCT = 16;
    __shared__ Barrier arrived;
    float* tile = shared<float>();
    const int first = blockIdx.x * blockDim.x, threads = gridDim.x * blockDim.x;
    if (threadIdx.x == 0) {
        init_barrier(&arrived);
        fence_of_proxies();
        expect_bytes(&arrived, WORDS_OF_STRUCT * blockDim.x * sizeof(T));
    }
    __syncthreads();
    if (threadIdx.x < WORDS_OF_STRUCT) {
        bulk_load(tile + threadIdx.x * blockDim.x, planes + threadIdx.x * threads + first, blockDim.x * sizeof(T), &arrived);
    }
    wait_barrier(&arrived, 0);
    float4 pieces[PIECES];
#pragma unroll
    for (int i = 0; i < PIECES; ++i) {
        const float* at = tile + ((i ^ threadIdx.x / 2) % PIECES) * 4 * blockDim.x + threadIdx.x;
        pieces[i] = make_float4(at[0], at[blockDim.x], at[2 * blockDim.x], at[3 * blockDim.x]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < PIECES; ++i) {
        reinterpret_cast<float4*>(tile)[threadIdx.x * PIECES + (i ^ threadIdx.x / 2) % PIECES] = pieces[i];
    }
    fence_of_proxies();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(result + first * WORDS_OF_STRUCT, tile, WORDS_OF_STRUCT * blockDim.x * sizeof(T));
        wait_until_read();
    }
}
