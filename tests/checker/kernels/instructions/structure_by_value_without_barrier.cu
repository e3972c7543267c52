// broken: RAW
// launch: 1x64

struct Window {
    int values[5];
    int first;
};

__device__ __noinline__ int total(Window window, int count) {
    int sum = window.first;
    for (int i = 0; i < count; i++) sum += window.values[i];
    return sum;
}

__global__ void k(const int *in, int *out) {
    __shared__ int values[68];
    values[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 4) values[64 + threadIdx.x] = 0;
    Window window;
    window.first = threadIdx.x;
    for (int i = 0; i < 5; i++) window.values[i] = values[threadIdx.x + i];
    out[threadIdx.x] = total(window, in[0] % 6);
}
