// The family of exchanges between two blocks of a cluster: each member is one choice of the template's parameters.
#include "member.cuh"

template <typename T, typename C>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS) my_cluster_copy_member(const T* values, T* result, int iterations) {
    exchange_words<C>(values, result, iterations);
}
