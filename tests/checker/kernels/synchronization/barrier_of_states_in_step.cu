// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, state = 0, sum = 0;
    s[t] = in[g];
#pragma unroll 1
    while (state < 3) {
        switch (state) {
            case 0:
                sum += t % 2 ? in[g] : 3;
                state = 1;
                break;
            case 1:
                __syncthreads();
                sum += s[63 - t];
                state = 2;
                break;
            default: state = 3;
        }
    }
    out[g] = sum;
}
