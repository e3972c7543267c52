// Shared memory cannot have an initializer: no thread would be the one to write it.
extern "C" __global__ void broken(const int* values, int* result, int) {
    __shared__ int count = 0;
    __syncthreads();
    if (values[threadIdx.x] > 50) atomicAdd(&count, 1);
    __syncthreads();
    result[threadIdx.x] = count;
}
