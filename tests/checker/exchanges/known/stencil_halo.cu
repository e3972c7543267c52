// launch: 3x128 args: n=384 in=f32[384]
__global__ void stencil_halo(const float *in, float *out, int n) {
  __shared__ float s[130];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  s[t + 1] = in[g];  // store: a
  if (t == 0)
    s[0] = g > 0 ? in[g - 1] : 0.0f;  // store: b
  if (t == 127)
    s[129] = g + 1 < n ? in[g + 1] : 0.0f;  // store: c
  __syncthreads();  // barrier: needed
  float l = s[t];  // load a: up 1 + across; load b: thread
  float m = s[t + 1];  // load a: thread
  float r = s[t + 2];  // load a: down 1 + across; load c: thread
  out[g] = 0.25f * l + 0.5f * m + 0.25f * r;
}
