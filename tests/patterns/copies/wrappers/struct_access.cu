//! *
#include "{copied}"
#include "shflbench.cuh"

constexpr int WORDS = OPTION_WORDS;

#define EACH_WORD(i) _Pragma("unroll") for (int i = 0; i < WORDS; ++i)

template <typename T>
__global__ void {kernel}(const T* structs, const T* planes, T* result) {
    const int threads = gridDim.x * blockDim.x, first = (thread() - lane()) * WORDS;
    T* slots = shared<T>() + threadIdx.x / WARP * (WARP + 1) * WORDS;  //! smem
    T words[WORDS];
    load_struct(structs + first, words);  //! direct vector shfl way=load
    load_struct(structs + first, words, slots);  //! smem way=load
    load_struct(planes, thread(), threads, words);  //! soa way=load
    EACH_WORD(w) result[w * threads + thread()] = words[w];  //! way=load
    EACH_WORD(w) words[w] = planes[w * threads + thread()];  //! direct vector smem shfl way=store
    EACH_WORD(w) words[w] = structs[w * threads + thread()];  //! soa way=store
    store_struct(result + first, words);  //! direct vector shfl way=store
    store_struct(result + first, words, slots);  //! smem way=store
    store_struct(result, thread(), threads, words);  //! soa way=store
}
