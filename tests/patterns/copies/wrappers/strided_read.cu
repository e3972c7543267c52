//! *
#include "{copied}"
#include "shflbench.cuh"

constexpr int STRIDE = OPTION_STRIDE;
constexpr int OFFSET = OPTION_OFFSET;

template <typename T>
__global__ void {kernel}(const T* values, T* result) {
    const T* first = values + OFFSET + (STRIDE == 0 ? blockIdx.x : (thread() - lane()) * STRIDE);
    result[thread()] = load_strided(first);  //! global shfl
    result[thread()] = load_strided(first, shared<T>() + first_of_warp() * STRIDE);  //! smem
}
