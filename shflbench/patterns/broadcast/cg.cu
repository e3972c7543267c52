// The broadcast by a tile of cooperative groups.
#include "broadcast.cuh"
#include "copied/cg.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_cg(const T* numbers, const int* sources, T* result, int iterations) {
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        mix_with_source(x, [=](Got<T> got) { return shflbench::cg::broadcast(got, source); });
        ++source;  // a shuffle takes it modulo 32
    }
    store(result, x);
}
