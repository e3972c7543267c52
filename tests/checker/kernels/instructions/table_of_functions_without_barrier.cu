// broken: RAW
// launch: 1x64

typedef int (*Step)(int *, int);

__device__ __noinline__ int store(int *values, int value) { return values[threadIdx.x] = value; }
__device__ __noinline__ int load(int *values, int value) { return value + values[(threadIdx.x + 33) % 64]; }
__device__ Step steps[] = {store, load};

__global__ void k(const int *in, int *out) {
    __shared__ int values[64];
    int value = in[threadIdx.x];
    for (int i = 0; i < 2; i++) {
        value = steps[(in[0] & 0) + i](values, value);
    }
    out[threadIdx.x] = value;
}
