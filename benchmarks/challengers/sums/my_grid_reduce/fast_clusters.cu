// One sum of the values of many blocks by one cluster: its warps load vectors, and send their sums to the first block.
#include "fast.cuh"

constexpr int THREADS = OPTION_BLOCKS >= 132 ? 512 : 256;
constexpr int SIZE = fast::VECTORS >= 8 * THREADS ? 8 : fast::VECTORS >= 4 * THREADS ? 4 : 2;

// Where the first block of the cluster has what this one has in `own`.
__device__ inline unsigned in_first_block(const void* own) {
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(address) : "r"(shared_address(own)));
    return address;
}

template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(SIZE) my_grid_reduce_x_one_cluster(const T* values, T* sums) {
    constexpr int WARPS = THREADS / WARP, SENT = SIZE * WARPS;
    __shared__ T of_warps[SENT];
    __shared__ unsigned long long full;
    const unsigned barrier = shared_address(&full), rank = blockIdx.x % SIZE;
    const int group = blockIdx.x / SIZE;
    if (threadIdx.x == 0 && rank == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    const auto* vectors = reinterpret_cast<const fast::Vector<T>*>(values) + size_t(group) * fast::VECTORS;
    T sum = fast::sum_of_vectors<fast::VECTORS, SIZE * THREADS>(vectors, int(rank) * THREADS + threadIdx.x);
    sum = fast::sum_of_warp(sum);
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");  // all blocks have started, the first one with its barrier
    if (lane() == 0) {
        if (rank == 0 && threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                         :: "r"(barrier), "n"(SENT * 4) : "memory");
        }
        unsigned bits;
        memcpy(&bits, &sum, sizeof bits);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                     :: "r"(in_first_block(&of_warps[rank * WARPS + threadIdx.x / WARP])), "r"(bits),
                        "r"(in_first_block(&full)) : "memory");
    }
    if (rank > 0 || threadIdx.x >= WARP) return;
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
                     "selp.b32 %0, 1, 0, p;}" : "=r"(is_complete) : "r"(barrier) : "memory");
    } while (!is_complete);
    sum = 0;
#pragma unroll
    for (int i = 0; i < SENT; i += WARP) {
        if (i + lane() < SENT) sum = add(sum, of_warps[i + lane()]);
    }
    sum = fast::sum_of_warp(sum);
    if (threadIdx.x == 0) sums[group] = sum;
}
