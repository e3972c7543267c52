// launch: 2x64
__global__ void u64_shift(const unsigned long long *in, unsigned long long *out) {
  __shared__ unsigned long long s[64];
  int t = threadIdx.x, lane = t & 31, g = blockIdx.x * 64 + t;
  unsigned long long v = in[g];
  s[t] = v;  // store: a
  __syncthreads();  // barrier: warp
  if (lane >= 3)
    v ^= s[t - 3];  // load a: up 3
  out[g] = v;
}
