// clean
#include <cstdio>
#define N 4096
#define R 3
#define B 256
__global__ void blur(const float *in, float *out, int n) {
    __shared__ float tile[B + 2 * R];
    int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + R;
    tile[l] = in[g];
    if (threadIdx.x < R) {
        tile[l - R] = g >= R ? in[g - R] : 0.0f;
        tile[l + B] = g + B < n ? in[g + B] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -R; k <= R; k++) sum += tile[l + k];
    out[g] = sum / (2 * R + 1);
}
int main() {
    float *h = (float *)malloc(N * sizeof(float)), *in, *out;
    for (int i = 0; i < N; i++) h[i] = i % 17;
    cudaMalloc(&in, N * sizeof(float));
    cudaMalloc(&out, N * sizeof(float));
    cudaMemcpy(in, h, N * sizeof(float), cudaMemcpyHostToDevice);
    blur<<<N / B, B>>>(in, out, N);
    cudaMemcpy(h, out, N * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[10]);
}
