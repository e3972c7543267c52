// sound
// launch: 2x128

__global__ void k(const float *in, float *out) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float value = in[i];
    s[t] = value;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) s[t] = fmaxf(s[t], s[t + half]);
        __syncthreads();
    }
    float most = s[0];
    __syncthreads();
    s[t] = value - most;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    out[i] = (value - most) / (1.0f - s[0]);
}
