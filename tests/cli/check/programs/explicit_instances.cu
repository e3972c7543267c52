// broken: RAW and WAR
template <typename T> __global__ void turn(const T *in, T *out) {
    __shared__ T s[128];
    s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    if (sizeof(T) == 8) __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}
struct Turn {
    template <typename T> void run(const T *in, T *out, int blocks) { turn<T><<<blocks, 128>>>(in, out); }
};
template void Turn::run<float>(const float *, float *, int);
template void Turn::run<double>(const double *, double *, int);
template __global__ void turn(const long long *, long long *);
