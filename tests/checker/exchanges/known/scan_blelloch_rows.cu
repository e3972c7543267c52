// launch: 2x64
__global__ void scan_blelloch_rows(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x, lane = t & 31, g = blockIdx.x * 64 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: warp
  for (int d = 1; d < 32; d *= 2) {
    if ((lane & (2 * d - 1)) == 2 * d - 1)
      s[t] += s[t - d];  // store: b | load a: thread + up 1; load b: thread + up 2 4 8 16
    __syncthreads();  // barrier: warp
  }
  if (lane == 31)
    s[t] = 0;  // store: c
  __syncthreads();  // barrier: nothing
  for (int d = 16; d > 0; d /= 2) {
    if ((lane & (2 * d - 1)) == 2 * d - 1) {
      int x = s[t - d];  // load b: up 16 8 4 2; load a: up 1
      int y = s[t];  // load c: thread; load d: down 16 8 4 2; load e: thread
      s[t - d] = y;  // store: d
      s[t] = x + y;  // store: e
    }
    __syncthreads();  // barrier: warp
  }
  out[g] = s[t];  // load d: down 1; load e: thread
}
