// clean
#include <cstdio>
#include <vector>
__global__ void rowSum(const float *m, float *sums, int rows, int cols) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= rows) return;
    float s = 0;
    
    s += m[warp * cols + lane];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
    if (lane == 0) sums[warp] = s;
}
int main() {
    int rows = 100, cols = 32;
    std::vector<float> h(rows * cols, 1.0f);
    float *m, *sums;
    cudaMalloc((void **)&m, rows * cols * sizeof(float));
    cudaMalloc((void **)&sums, rows * sizeof(float));
    cudaMemcpy(m, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(128), grid((rows * 32 + block.x - 1) / block.x);
    rowSum<<<grid, block>>>(m, sums, rows, cols);
    cudaDeviceSynchronize();
}
