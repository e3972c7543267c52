// launch: 2x2:16x16 args: n=32 a=f32[1024] b=f32[1024] c=f32[1024]
__global__ void matmul_tile_16(const float *a, const float *b, float *c, int n) {
  __shared__ float as[16][16];
  __shared__ float bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float acc = 0.0f;
  for (int m = 0; m < n; m += 16) {
    as[ty][tx] = a[row * n + m + tx];  // store: a
    bs[ty][tx] = b[(m + ty) * n + col];  // store: b
    __syncthreads();  // barrier: needed
    for (int k = 0; k < 16; k++) {
      float x = as[ty][k];  // load a: lane
      float y = bs[k][tx];  // load b: across + up 16 + down 16
      acc += x * y;
    }
    __syncthreads();  // barrier: needed
  }
  c[row * n + col] = acc;
}
