// `__activemask()` names the lanes that are active now, not those that should take part: later lanes are left out.
extern "C" __global__ void broken(const int* values, int* result, int) {
    int sum = values[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(__activemask(), sum, distance);  // reads
    }
    result[threadIdx.x] = sum;
}

extern "C" __global__ void fixed(const int* values, int* result, int) {
    int sum = values[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    result[threadIdx.x] = sum;
}
