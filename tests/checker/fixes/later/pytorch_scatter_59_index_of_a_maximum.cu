// broken: WAW several threads store different indices of one maximum
// fixed: clean
// launch: 2x64
// source: https://github.com/rusty1s/pytorch_scatter/pull/59
// Written anew after the thread: no code of it.
// Each thread whose value is the maximum of its group stores its index, and values may be equal, so that results differ between runs.
// The fix: atomicMax() keeps the greatest index (the request was closed).
// Left out: values, every second of which is the maximum here, and how groups are given: they have four values.
__global__ void arg_of_maximum(int *indices) {
    int i = blockIdx.x * 64 + threadIdx.x, group = i / 4;
    bool is_maximum = i % 2 == 1;
#ifdef FIXED
    if (is_maximum) atomicMax(&indices[group], i);
#else
    if (is_maximum) indices[group] = i;  // later
#endif
}
