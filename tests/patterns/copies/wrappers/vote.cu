//! *
#include "{copied}"
#include "shflbench.cuh"
#include "vote.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    uint4* flags = shared<uint4>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, warp_{op}(predicate(x)));  //! shfl vote
    REPEAT(iterations) x = advance(x, warp_{op}(predicate(x), flags));  //! smem smem-syncwarp
    result[thread()] = x;
}
