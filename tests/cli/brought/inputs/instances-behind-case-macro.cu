// The instances of the kernel follow from a macro that calls its launcher. No hazard.
template <typename T, int K>
__global__ void scale(T *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * T(K);
}

template <typename T, int K>
void launch(T *data, int blocks) {
  scale<T, K><<<blocks, 64>>>(data);
}

#define CASE_K(K, MAX_K) \
  case K ... MAX_K: \
    launch<T, MAX_K>(data, blocks); \
    break

template <typename T>
void run(T *data, int blocks, int k) {
  switch (k) {
    CASE_K(1, 4);
    CASE_K(5, 8);
    default:
      break;
  }
}

#undef CASE_K

template void run<float>(float *data, int blocks, int k);
