// launch: 2x2:32x32 args: n=64 a=f32[4096] b=f32[4096] c=f32[4096]
__global__ void matmul_tile_32(const float *a, const float *b, float *c, int n) {
  __shared__ float as[32][32];
  __shared__ float bs[32][33];
  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
  float acc = 0.0f;
  for (int m = 0; m < n; m += 32) {
    as[ty][tx] = a[row * n + m + tx];  // store: a
    bs[ty][tx] = b[(m + ty) * n + col];  // store: b
    __syncthreads();  // barrier: needed
    for (int k = 0; k < 32; k++) {
      float x = as[ty][k];  // load a: broadcast
      float y = bs[k][tx];  // load b: thread + across
      acc += x * y;
    }
    __syncthreads();  // barrier: needed
  }
  c[row * n + col] = acc;
}
