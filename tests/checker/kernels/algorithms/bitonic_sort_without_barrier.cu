// broken: RAW
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    for (int size = 2; size <= 64; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            int other = t ^ stride;
            if (other > t) {
                int a = s[t], b = s[other];
                bool ascending = (t & size) == 0;
                if ((a > b) == ascending) { s[t] = b; s[other] = a; }
            }
        }
    }
    __syncthreads();
    out[i] = s[t];
}
