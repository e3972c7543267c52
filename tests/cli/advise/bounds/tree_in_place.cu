// The distance doubles: what one iteration stores, another thread loads in the next one, behind the only barrier.
__global__ void tree(int* data, int n) {
    int tid = threadIdx.x;
    for (int s = 1; s <= blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0 && tid + s < n) data[tid] += data[tid + s];
        __syncthreads();
    }
}

int main() {
    int* data;
    cudaMalloc(&data, 400);
    cudaMemset(data, 0, 400);
    tree<<<1, 128>>>(data, 100);
    cudaDeviceSynchronize();
}
