// broken: MISALIGNED
// launch: 1x32

__global__ void k(const int *in, int *out) {
    const int4 *p = (const int4 *)(in + threadIdx.x);
    int4 x = *p;
    out[threadIdx.x] = x.x + x.y + x.z + x.w;
}
