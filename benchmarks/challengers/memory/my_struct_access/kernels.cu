// One struct of WORDS words per thread. In memory the structs lie one after the other, or as planes: plane
// i holds word i of all structs. A launch loads structs and stores planes (way=load), or loads planes and
// stores structs (way=store). The access to planes is always coalesced; the access to structs differs.
#include "copied/direct.cuh"
#include "copied/shfl.cuh"
#include "copied/smem.cuh"
#include "copied/soa.cuh"
#include "copied/vector.cuh"
#include "shflbench.cuh"

constexpr int WORDS = OPTION_WORDS;

#define EACH_WORD(i) _Pragma("unroll") for (int i = 0; i < WORDS; ++i)

template <typename T>
__device__ void load_planes(const T* planes, T (&words)[WORDS]) {
    const int threads = gridDim.x * blockDim.x;
    EACH_WORD(i) words[i] = planes[i * threads + thread()];
}

template <typename T>
__device__ void store_planes(T* planes, const T (&words)[WORDS]) {
    const int threads = gridDim.x * blockDim.x;
    EACH_WORD(i) planes[i * threads + thread()] = words[i];
}

// Word by word: neighboring lanes are WORDS words apart.
template <typename T>
__global__ void LAUNCH_BOUNDS my_struct_access_direct(const T* structs, const T* planes, T* result) {
    T words[WORDS];
#if OPTION_WAY_LOAD
    shflbench::direct::load_struct(structs + thread() * WORDS, words);
    store_planes(result, words);
#else
    load_planes(planes, words);
    shflbench::direct::store_struct(result + thread() * WORDS, words);
#endif
}

// Two or four words per access.
template <typename T>
__global__ void LAUNCH_BOUNDS my_struct_access_vector(const T* structs, const T* planes, T* result) {
    T words[WORDS];
#if OPTION_WAY_LOAD
    shflbench::vector::load_struct(structs + thread() * WORDS, words);
    store_planes(result, words);
#else
    load_planes(planes, words);
    shflbench::vector::store_struct(result + thread() * WORDS, words);
#endif
}

// The warp accesses the words of its 32 structs in memory order, 32 neighbors at a time, and the lanes exchange them
// through shared memory, where one unused word after each 32 avoids bank conflicts of lanes whose structs start in the
// same bank.
template <typename T>
__global__ void LAUNCH_BOUNDS my_struct_access_smem(const T* structs, const T* planes, T* result) {
    T words[WORDS], *slots = shared<T>() + threadIdx.x / WARP * (WARP + 1) * WORDS;
#if OPTION_WAY_LOAD
    shflbench::smem::load_struct(structs + (thread() - lane()) * WORDS, words, slots);
    store_planes(result, words);
#else
    load_planes(planes, words);
    shflbench::smem::store_struct(result + (thread() - lane()) * WORDS, words, slots);
#endif
}

// ... and the lanes exchange them by shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS my_struct_access_shfl(const T* structs, const T* planes, T* result) {
    T words[WORDS];
#if OPTION_WAY_LOAD
    shflbench::shfl::load_struct(structs + (thread() - lane()) * WORDS, words);
    store_planes(result, words);
#else
    load_planes(planes, words);
    shflbench::shfl::store_struct(result + (thread() - lane()) * WORDS, words);
#endif
}

// The bound: planes are copied to planes, one after another.
template <typename T>
__global__ void LAUNCH_BOUNDS my_struct_access_soa(const T* structs, const T* planes, T* result) {
    const int threads = gridDim.x * blockDim.x;
    T words[WORDS];
#if OPTION_WAY_LOAD
    shflbench::soa::load_struct(planes, thread(), threads, words);
    store_planes(result, words);
#else
    load_planes(structs, words);
    shflbench::soa::store_struct(result, thread(), threads, words);
#endif
}
