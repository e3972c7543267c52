// Both kernels have two overloads, of which the arguments of each launch choose one; all are correct.
namespace rows {

template <typename T>
__global__ void fill(T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = n;
}

template <typename T>
__global__ void fill(T *out, const T *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

__global__ void pairs(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 2 < n) out[i * 2] = out[i * 2 + 1] = n;
}

__global__ void pairs(double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = n;
}

void run(float *out, const float *in, double *sums, int blocks) {
    fill<<<blocks, 64>>>(out, blocks * 64);
    fill<<<blocks, 96>>>(out, in, blocks * 96);
    pairs<<<blocks, 128>>>(out, blocks * 256);
    pairs<<<blocks, 160>>>(sums, blocks * 160);
}

}  // namespace rows
