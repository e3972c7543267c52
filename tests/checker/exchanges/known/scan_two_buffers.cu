// launch: 2x256
__global__ void scan_two_buffers(const int *in, int *out) {
  __shared__ int s[2][256];
  int t = threadIdx.x, g = blockIdx.x * 256 + t, p = 0;
  s[0][t] = in[g];  // store: a
  __syncthreads();  // barrier: needed
  for (int d = 1; d < 256; d *= 2) {
    int v = s[p][t];  // load a: thread; load b: thread
    if (t >= d)
      v += s[p][t - d];  // load a: up 1 + across; load b: up 2 4 8 16 + across
    p ^= 1;
    s[p][t] = v;  // store: b
    __syncthreads();  // barrier: needed
  }
  out[g] = s[p][t];  // load b: thread
}
