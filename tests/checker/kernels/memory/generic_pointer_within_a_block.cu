// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int *p = in[0] == in[0] + t % 2 ? s : out + blockIdx.x * 64;
    p[t] = t;
    __syncthreads();
    int *q = in[0] == in[0] + (63 - t) % 2 ? s : out + blockIdx.x * 64;
    if (q[63 - t] != 63 - t) out[128] = 1;
}
