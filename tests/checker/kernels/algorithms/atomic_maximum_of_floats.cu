// sound
// launch: 2x128

__global__ void k(const float *in, float *out) {
    float value = fabsf(in[blockIdx.x * blockDim.x + threadIdx.x]);
    int *cell = (int *)out, old = atomicAdd(cell, 0);
    while (__int_as_float(old) < value) {
        int assumed = old;
        old = atomicCAS(cell, assumed, __float_as_int(value));
        if (old == assumed) break;
    }
}
