// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    if (threadIdx.x == 0) atomicAdd((unsigned long long *)out, 1ull);
    if (threadIdx.x == 32) atomicAdd(&out[2], in[0]);
}
