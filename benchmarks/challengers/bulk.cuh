// Asynchronous copies of bytes between global and shared memory, their barriers, prefetches to L2, and atomic additions
// that the compiler does not rewrite. From sm_90 on.
#pragma once
#include "shflbench.cuh"

using Barrier = unsigned long long;

__device__ inline void init_barrier(Barrier* barrier) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(shared_address(barrier)) : "memory");
}
__device__ inline void expect_bytes(Barrier* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ inline void bulk_load(void* to, const void* from, unsigned bytes, Barrier* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier)) : "memory");
}
__device__ inline void wait_barrier(Barrier* barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!is_complete);
}
// What threads wrote to shared memory comes before bulk copies that start later.
__device__ inline void fence_of_proxies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void bulk_store(void* to, const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :: "l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Waits until the bulk stores of this thread have read shared memory: before the block may end.
__device__ inline void wait_until_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
// 16 bytes from global to shared memory, without L1; each thread waits for its own copies.
__device__ inline void start_copy(void* to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(to)), "l"(from) : "memory");
}
__device__ inline void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int NEWER>
__device__ void wait_for_groups() { asm volatile("cp.async.wait_group %0;" :: "n"(NEWER) : "memory"); }

// Brings bytes (a multiple of 16, from an address that is one) to L2, and waits for nothing.
__device__ inline void prefetch_bytes(const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(from), "r"(bytes) : "memory");
}
__device__ inline void prefetch_line(const void* from) {
    asm volatile("prefetch.global.L2 [%0];" :: "l"(from) : "memory");
}

// One thread's addition. The compiler would vote first which lanes take part, and sum up.
__device__ inline void add_to(int* counter, int x) {
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" :: "l"(counter), "r"(x) : "memory");
}
__device__ inline void add_to(float* counter, float x) {
    asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(counter), "f"(x) : "memory");
}
__device__ inline int fetch_add(int* counter, int x) {
    int old;
    asm volatile("atom.relaxed.gpu.global.add.s32 %0, [%1], %2;" : "=r"(old) : "l"(counter), "r"(x) : "memory");
    return old;
}
// Blocks of a cluster.
__device__ inline unsigned rank_in_cluster() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline unsigned address_in(unsigned rank, const void* own) {
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(own)), "r"(rank));
    return address;
}
__device__ inline void store_at(unsigned address, int x) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(address), "r"(x) : "memory");
}
__device__ inline void store_async(unsigned address, int x, unsigned barrier) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 :: "r"(address), "r"(x), "r"(barrier) : "memory");
}
__device__ inline void add_at(unsigned address, int x) {
    asm volatile("red.relaxed.cluster.shared::cluster.add.s32 [%0], %1;" :: "r"(address), "r"(x) : "memory");
}
__device__ inline void publish_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
__device__ inline void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
__device__ inline void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ inline void wait_in_cluster(Barrier* barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!is_complete);
}
