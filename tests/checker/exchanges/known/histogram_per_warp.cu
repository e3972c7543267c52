// launch: 2x128
__global__ void histogram_per_warp(const int *in, int *out) {
  __shared__ int h[4][32];
  int t = threadIdx.x, lane = t & 31, w = t >> 5;
  h[w][lane] = 0;  // store: a
  __syncthreads();  // barrier: warp
  for (int k = 0; k < 4; k++) {
    int v = in[(blockIdx.x * 4 + k) * 128 + t];
    atomicAdd(&h[w][(v >> 2) & 31], 1);
    atomicAdd(&h[w][(lane * 3 + k) & 31], (v & 7) + 1);
  }
  __syncthreads();  // barrier: needed
  if (t < 32) {
    int sum = h[0][t];
    sum += h[1][t];
    sum += h[2][t];
    sum += h[3][t];
    out[blockIdx.x * 32 + t] = sum;
  }
}
