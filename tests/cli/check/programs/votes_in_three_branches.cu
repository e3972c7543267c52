// clean
__global__ void count(const int *in, unsigned *out) {
    int v = in[threadIdx.x];
    unsigned word;
    switch (threadIdx.x % 3) {
        case 0: word = __ballot_sync(~0u, v > 0); __syncwarp(); break;
        case 1: word = ~__ballot_sync(~0u, v < 0); __syncwarp(); break;
        default: word = __popc(__ballot_sync(~0u, v == 0)); __syncwarp();
    }
    out[threadIdx.x] = word;
}
int main() {
    int *in;
    unsigned *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(unsigned));
    count<<<1, 64>>>(in, out);
}
