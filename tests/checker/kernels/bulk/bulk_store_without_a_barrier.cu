// broken: RAW
// launch: 2x64
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 ::"l"(to), "r"(place(from)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The copy may read what other threads have not written yet.
__global__ void k(const int *in, int *out) {
    __shared__ __align__(16) int s[64];
    __shared__ unsigned long long bar;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    const int *from = in + blockIdx.x * 64;
    int *to = out + blockIdx.x * 64;
    s[t] = in[i];
    fence();
    if (t == 0) {
        store(to, s, 256);
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
