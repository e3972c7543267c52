//! *
#include "{copied}"
#include "broadcast.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* numbers, const int* sources, T* result, int iterations) {
    T* slots = shared<T>();  //! smem smem-syncwarp
    {T}4* slots = shared<{T}4>();  //! smem-wide
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        T got[VALUES];
        for (int k = 0; k < VALUES; ++k) got[k] = x[k];
        got[0] = broadcast(got[0], source);  //! shfl cg values=1
        got[0] = broadcast(got[0], source, slots);  //! smem smem-syncwarp values=1
        broadcast(got, source);  //! shfl cg values=4
        broadcast(got, source, slots);  //! smem smem-syncwarp smem-wide values=4
        for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], got[k]);
        source = next_source(source);
    }
    store(result, x);
}
