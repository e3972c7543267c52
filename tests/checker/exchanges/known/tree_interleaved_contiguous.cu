// launch: 2x256
__global__ void tree_interleaved_contiguous(const int *in, int *out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];  // store: a
  __syncthreads();  // barrier: needed
  for (int d = 1; d < 256; d *= 2) {
    int i = 2 * d * t;
    if (i < 256)
      s[i] += s[i + d];  // store: b | load a: across; load b: across + lane + thread + down 1
    __syncthreads();  // barrier: needed
  }
  if (t == 0)
    out[blockIdx.x] = s[0];  // load b: thread
}
