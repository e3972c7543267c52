// broken: waits for lanes that its full mask names, and that are in another branch: they wait at the barrier at full_mask_in_a_branch.cu:5
__global__ void sums(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (threadIdx.x < 24) v += __shfl_down_sync(0xffffffff, v, 4);
    __syncthreads();
    out[threadIdx.x] = v;
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    sums<<<1, 64>>>(in, out);
}
