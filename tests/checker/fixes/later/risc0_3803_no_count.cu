// broken: out of bounds, a kernel without the number of elements runs for all threads of its last block
// fixed: clean
// launch: 1x128
// source: https://github.com/risc0/risc0/issues/3803
// Written anew after the thread: no code of it.
// Elements that mark invalid values become zero, in place. The grid is rounded up to whole blocks, and there are 90 elements.
// The fix: a test of the number of the thread, as in other kernels of that file (the issue is open).
// Left out: the argument with the number of elements; elements of an extension of the field.
constexpr int COUNT = 90;
constexpr unsigned INVALID = 0xffffffff;

__device__ unsigned elements[COUNT];

__global__ void zeroize(unsigned *checked) {
    int i = blockIdx.x * 128 + threadIdx.x;
#ifdef FIXED
    if (i >= COUNT) return;
#endif
    unsigned element = elements[i];  // later
    elements[i] = element == INVALID ? 0 : element;
    checked[i] = element == INVALID;
}
