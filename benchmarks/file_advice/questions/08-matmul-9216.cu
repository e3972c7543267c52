// C = A*B for 9216x9216 floats, 32x32 threads, each block computes a 4x4 set of 32x32 output tiles.
// mulGlobal reads operands from global memory; mulShared stages 32x32 tiles of both in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int N = 9216, DIV = 4, T = 32;
constexpr int SUB = N / DIV;               // 2304 = extent covered by the grid in one pass

__global__ void mulGlobal(const float *A, const float *B, float *C) {
    for (int i = 0; i < DIV; i++)
        for (int j = 0; j < DIV; j++) {
            int row = blockIdx.y * T + threadIdx.y + SUB * i;
            int col = blockIdx.x * T + threadIdx.x + SUB * j;
            float acc = 0.f;
            for (int k = 0; k < N; k++) acc += A[row * N + k] * B[k * N + col];
            C[row * N + col] = acc;
        }
}

__global__ void mulShared(const float *A, const float *B, float *C) {
    __shared__ float a[T][T], b[T][T];
    int ty = threadIdx.y, tx = threadIdx.x;
    for (int i = 0; i < DIV; i++)
        for (int j = 0; j < DIV; j++) {
            int row = blockIdx.y * T + ty + SUB * i;
            int col = blockIdx.x * T + tx + SUB * j;
            float acc = 0.f;
            for (int m = 0; m < N / T; m++) {
                a[ty][tx] = A[row * N + m * T + tx];
                b[ty][tx] = B[(m * T + ty) * N + col];
                __syncthreads();
                for (int k = 0; k < T; k++) acc += a[ty][k] * b[k][tx];
                __syncthreads();
            }
            C[row * N + col] = acc;
        }
}

int main() {
    size_t bytes = (size_t)N * N * 4;
    std::vector<float> ra(N), rb(N), h((size_t)N * N), o((size_t)N * N);
    // A[r][k] = ra[r], B[k][c] = rb[c], so C[r][c] = N*ra[r]*rb[c]
    for (auto &v : ra) v = 1 + rand() % 3;
    for (auto &v : rb) v = 1 + rand() % 3;
    float *A, *B, *C;
    CK(cudaMalloc(&A, bytes)); CK(cudaMalloc(&B, bytes)); CK(cudaMalloc(&C, bytes));
    for (int r = 0; r < N; r++) for (int c = 0; c < N; c++) h[(size_t)r * N + c] = ra[r];
    CK(cudaMemcpy(A, h.data(), bytes, cudaMemcpyHostToDevice));
    for (int r = 0; r < N; r++) for (int c = 0; c < N; c++) h[(size_t)r * N + c] = rb[c];
    CK(cudaMemcpy(B, h.data(), bytes, cudaMemcpyHostToDevice));
    dim3 blk(T, T), grd(SUB / T, SUB / T);
    for (int ver = 0; ver < 2; ver++) {
        CK(cudaMemset(C, 0, bytes));
        if (ver) mulShared<<<grd, blk>>>(A, B, C);
        else     mulGlobal<<<grd, blk>>>(A, B, C);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(o.data(), C, bytes, cudaMemcpyDeviceToHost));
        size_t bad = 0;
        for (int r = 0; r < N; r++) for (int c = 0; c < N; c++)
            if (o[(size_t)r * N + c] != (float)N * ra[r] * rb[c]) bad++;
        printf("%s: %s\n", ver ? "shared" : "global", bad ? "FAIL" : "ok");
    }
}
