// Asynchronous copies of bytes from global to shared memory, their barriers, prefetches to L2, additions of one thread.
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
__device__ inline void wait_until_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
// Brings bytes (a multiple of 16, from an address that is one) to L2, and waits for nothing.
__device__ inline void prefetch_bytes(const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(from), "r"(bytes) : "memory");
}
__device__ inline void add_to(int* counter, int x) {
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" :: "l"(counter), "r"(x) : "memory");
}
__device__ inline void add_to(float* counter, float x) {
    asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(counter), "f"(x) : "memory");
}
__device__ inline float4 load_past_l1(const float4* at) {
    float4 x;
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "l"(at));
    return x;
}
__device__ inline int4 load_past_l1(const int4* at) {
    int4 x;
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(at));
    return x;
}

// A ring of STAGES chunks of CHUNK bytes in shared memory for each warp, which bulk copies fill. Calls consume(chunk) for
// the warp's chunks first, first + step, ... below end, in order. `barriers`: STAGES of this warp.
template <int STAGES, int CHUNK, typename Consume>
__device__ void for_chunks(char* ring, Barrier* barriers, const char* from, int first, int step, int end, Consume consume) {
    if (lane() == 0) {
#pragma unroll
        for (int i = 0; i < STAGES; ++i) init_barrier(&barriers[i]);
        fence_of_proxies();
#pragma unroll
        for (int i = 0; i < STAGES; ++i) {
            const int chunk = first + i * step;
            if (chunk >= end) break;
            expect_bytes(&barriers[i], CHUNK);
            bulk_load(ring + i * CHUNK, from + size_t(chunk) * CHUNK, CHUNK, &barriers[i]);
        }
    }
    __syncwarp();
    int stage = 0;
    unsigned parity = 0;
    for (int chunk = first; chunk < end; chunk += step) {
        wait_barrier(&barriers[stage], parity);
        consume(ring + stage * CHUNK);
        __syncwarp();  // all lanes have read
        const int later = chunk + STAGES * step;
        if (lane() == 0 && later < end) {
            expect_bytes(&barriers[stage], CHUNK);
            bulk_load(ring + stage * CHUNK, from + size_t(later) * CHUNK, CHUNK, &barriers[stage]);
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
}
