// One struct of WORDS words per thread. In memory the structs lie one after the other, or as planes: plane
// i holds word i of all structs. A launch loads structs and stores planes (way=load), or loads planes and
// stores structs (way=store). The access to planes is always coalesced; the access to structs differs.
#include "transpose.cuh"

constexpr int WORDS = OPTION_WORDS;
#if OPTION_WAY_LOAD
constexpr bool LOAD = true;
#else
constexpr bool LOAD = false;
#endif

#define EACH_WORD(i) _Pragma("unroll") for (int i = 0; i < WORDS; ++i)

template <typename T>
struct Struct {
    T word[WORDS];
};

template <typename T>
__device__ Struct<T> load_planes(const T* planes) {
    const int threads = gridDim.x * blockDim.x;
    Struct<T> mine;
    EACH_WORD(i) mine.word[i] = planes[i * threads + thread()];
    return mine;
}

template <typename T>
__device__ void store_planes(T* planes, const Struct<T>& mine) {
    const int threads = gridDim.x * blockDim.x;
    EACH_WORD(i) planes[i * threads + thread()] = mine.word[i];
}

// Copy with one of the accesses to structs below.
template <typename Access, typename T>
__device__ void copy(const T* structs, const T* planes, T* result) {
    if (LOAD) store_planes(result, Access::load(structs));
    else Access::store(result, load_planes(planes));
}

// Word by word: neighboring lanes are WORDS words apart.
struct Direct {
    template <typename T>
    static __device__ Struct<T> load(const T* structs) {
        Struct<T> mine;
        EACH_WORD(i) mine.word[i] = structs[thread() * WORDS + i];
        return mine;
    }
    template <typename T>
    static __device__ void store(T* structs, const Struct<T>& mine) {
        EACH_WORD(i) structs[thread() * WORDS + i] = mine.word[i];
    }
};

// Two or four words per access, as float2 or float4.
struct Vector {
    static constexpr int WIDTH = WORDS % 4 == 0 ? 4 : 2;
    template <typename T>
    struct alignas(WIDTH * sizeof(T)) Piece {
        T word[WIDTH];
    };
    template <typename T>
    static __device__ Struct<T> load(const T* structs) {
        const auto* pieces = reinterpret_cast<const Piece<T>*>(structs) + thread() * (WORDS / WIDTH);
        Struct<T> mine;
#pragma unroll
        for (int i = 0; i < WORDS / WIDTH; ++i) {
            const Piece<T> piece = pieces[i];
#pragma unroll
            for (int j = 0; j < WIDTH; ++j) mine.word[i * WIDTH + j] = piece.word[j];
        }
        return mine;
    }
    template <typename T>
    static __device__ void store(T* structs, const Struct<T>& mine) {
        auto* pieces = reinterpret_cast<Piece<T>*>(structs) + thread() * (WORDS / WIDTH);
#pragma unroll
        for (int i = 0; i < WORDS / WIDTH; ++i) {
            Piece<T> piece;
#pragma unroll
            for (int j = 0; j < WIDTH; ++j) piece.word[j] = mine.word[i * WIDTH + j];
            pieces[i] = piece;
        }
    }
};

// The warp accesses the words of its 32 structs in memory order, 32 neighbors at a time.
template <typename T>
__device__ Struct<T> load_striped(const T* structs) {
    const T* first = structs + (thread() - lane()) * WORDS + lane();
    Struct<T> part;
    EACH_WORD(i) part.word[i] = first[i * WARP];
    return part;
}

template <typename T>
__device__ void store_striped(T* structs, const Struct<T>& part) {
    T* first = structs + (thread() - lane()) * WORDS + lane();
    EACH_WORD(i) first[i * WARP] = part.word[i];
}

// ... and the lanes exchange them through shared memory, where one unused word after each 32 avoids bank
// conflicts of lanes whose structs start in the same bank.
struct Staged {
    static __device__ int place(int index) { return index + index / WARP; }
    template <typename T>
    static __device__ T* slots() { return shared<T>() + threadIdx.x / WARP * (WARP + 1) * WORDS; }

    template <typename T>
    static __device__ Struct<T> load(const T* structs) {
        T* tile = slots<T>();
        Struct<T> mine = load_striped(structs);
        EACH_WORD(i) tile[place(i * WARP + lane())] = mine.word[i];
        __syncwarp();
        EACH_WORD(i) mine.word[i] = tile[place(lane() * WORDS + i)];
        return mine;
    }
    template <typename T>
    static __device__ void store(T* structs, Struct<T> mine) {
        T* tile = slots<T>();
        EACH_WORD(i) tile[place(lane() * WORDS + i)] = mine.word[i];
        __syncwarp();
        EACH_WORD(i) mine.word[i] = tile[place(i * WARP + lane())];
        store_striped(structs, mine);
    }
};

// ... and the lanes exchange them by shuffles.
struct Shuffled {
    template <typename T>
    static __device__ Struct<T> load(const T* structs) {
        Struct<T> mine = load_striped(structs);
        Transpose<T, WORDS>::striped_to_blocked(mine.word);
        return mine;
    }
    template <typename T>
    static __device__ void store(T* structs, Struct<T> mine) {
        Transpose<T, WORDS>::blocked_to_striped(mine.word);
        store_striped(structs, mine);
    }
};

template <typename T>
__global__ void LAUNCH_BOUNDS struct_access_direct(const T* structs, const T* planes, T* result) {
    copy<Direct>(structs, planes, result);
}

template <typename T>
__global__ void LAUNCH_BOUNDS struct_access_vector(const T* structs, const T* planes, T* result) {
    copy<Vector>(structs, planes, result);
}

template <typename T>
__global__ void LAUNCH_BOUNDS struct_access_smem(const T* structs, const T* planes, T* result) {
    copy<Staged>(structs, planes, result);
}

template <typename T>
__global__ void LAUNCH_BOUNDS struct_access_shfl(const T* structs, const T* planes, T* result) {
    copy<Shuffled>(structs, planes, result);
}

// The bound: planes are copied to planes, one after another.
template <typename T>
__global__ void LAUNCH_BOUNDS struct_access_soa(const T* structs, const T* planes, T* result) {
    store_planes(result, load_planes(LOAD ? planes : structs));
}
