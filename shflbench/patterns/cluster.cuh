// Blocks of a cluster: ranks, barriers, and the shared memory of other blocks; from sm_90 on. Without an order, arrivals at
// the barrier of the cluster release and waits acquire.
#pragma once
#include "shflbench.cuh"

constexpr int BLOCKS = OPTION_CLUSTER;  // that work together, whether they form a cluster or not

__device__ inline unsigned rank_in_cluster() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// The address, in the shared memory of the cluster, of what another block has where this one has `own`.
__device__ inline unsigned address_in(unsigned rank, const void* own) {
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(own)), "r"(rank));
    return address;
}

__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

// The 32-bit words of a value.
template <typename T>
struct Words {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    static constexpr bool one = sizeof(T) == 4;
    unsigned word[sizeof(T) / 4];

    __device__ Words() {}
    __device__ Words(T x) { memcpy(word, &x, sizeof x); }
    __device__ operator T() const {
        T x;
        memcpy(&x, word, sizeof x);
        return x;
    }
};

// Barriers in shared memory. A store of another block counts its bytes at a barrier of the block to
// which it writes.
__device__ inline void init(unsigned long long* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
// Before a relaxed arrival at the barrier of the cluster: the other blocks see the barriers of this thread initialized.
__device__ inline void publish_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void arrive_expecting(unsigned long long* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ inline void wait(unsigned long long* barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!is_complete);
}
template <typename T>
__device__ void store_async(unsigned address, T x, unsigned barrier) {
    const Words<T> bits(x);
    if constexpr (bits.one) asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                                         :: "r"(address), "r"(bits.word[0]), "r"(barrier) : "memory");
    else asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];"
                      :: "r"(address), "r"(bits.word[0]), "r"(bits.word[1]), "r"(barrier) : "memory");
}
