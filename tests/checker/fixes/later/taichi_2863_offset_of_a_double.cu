// broken: misaligned address, a double is stored behind an integer, at an offset of four bytes
// fixed: clean
// launch: 2x32
// source: https://github.com/taichi-dev/taichi/pull/2863
// Written anew after the thread: no code of it.
// Temporary values of different types share a buffer. Each one is stored behind the one before.
// The fix: the offset is rounded up to a multiple of the size of the type.
// Left out: the code generator; each thread has a buffer of its own.
constexpr int SIZE = 32;
#ifdef FIXED
constexpr int OFFSET = sizeof(double);
#else
constexpr int OFFSET = sizeof(int);
#endif

__global__ void store_temporaries(const int *in, unsigned char *buffer) {
    int i = blockIdx.x * 32 + threadIdx.x;
    unsigned char *own = buffer + i * SIZE;
    *reinterpret_cast<int *>(own) = in[i];
    *reinterpret_cast<double *>(own + OFFSET) = 0.5 * in[i];  // later
    *reinterpret_cast<float *>(own + OFFSET + sizeof(double)) = 2.0f * in[i];
}
