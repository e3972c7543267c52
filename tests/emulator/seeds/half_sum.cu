// A butterfly whose first step omits the lane's own value: each half of the warp gets the other half's sum.
constexpr unsigned ALL = 0xffffffffu;

extern "C" __global__ void broken(const int* values, int* result, int) {
    int sum = __shfl_xor_sync(ALL, values[threadIdx.x], 16);  // omits
    for (int distance = 8; distance > 0; distance /= 2) sum += __shfl_xor_sync(ALL, sum, distance);
    result[threadIdx.x] = sum;
}

extern "C" __global__ void fixed(const int* values, int* result, int) {
    int sum = values[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(ALL, sum, distance);
    result[threadIdx.x] = sum;
}
