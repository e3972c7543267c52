// launch: 2x96
__global__ void int2_rotate(const int2 *in, int2 *out) {
  __shared__ int2 s[96];
  int t = threadIdx.x, g = blockIdx.x * 96 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: needed
  int2 p = s[t == 95 ? 0 : t + 1];  // load a: across
  out[g] = make_int2(p.y, p.x);
}
