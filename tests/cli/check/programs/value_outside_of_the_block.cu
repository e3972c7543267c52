// broken: uses the value of a lane outside of the block
__global__ void largest(const float *in, float *out) {
    float v = in[threadIdx.x];
    for (int step = 4; step > 0; step /= 2) v = fmaxf(v, __shfl_down_sync(0x7f, v, step));
    if (threadIdx.x == 0) out[0] = v;
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 7 * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    largest<<<1, 7>>>(in, out);
}
