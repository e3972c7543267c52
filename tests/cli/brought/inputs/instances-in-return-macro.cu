#include <cuda_runtime.h>

typedef void (*RowKernel)(const float *, float *, int);

template <int PER_THREAD>
__global__ void row_twice(const float *in, float *out, int width) {
    for (int k = 0; k < PER_THREAD; ++k) {
        int column = k * 128 + threadIdx.x;
        if (column < width) out[blockIdx.x * width + column] = 2 * in[blockIdx.x * width + column];
    }
}

#define kernel_instance(count) \
    if (per_thread == count) return row_twice<count>

static RowKernel pick(int per_thread) {
    kernel_instance(1);
    kernel_instance(2);
    kernel_instance(8);
    return nullptr;
}

void run(const float *in, float *out, int rows, int width) {
    RowKernel kernel = pick((width + 127) / 128);
    kernel<<<rows, 128>>>(in, out, width);
}
