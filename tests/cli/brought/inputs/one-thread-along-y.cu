// clean: nothing launches the kernel, whose constants say a block of 32x1x4 threads. In blocks of several threads along
// y, rows are copied twice.
constexpr int THREADS_X = 32, THREADS_Y = 1, THREADS_Z = 4;

__global__ void update(const float *states, float *cache, int width, int rows, int heads) {
    int x = blockIdx.x * THREADS_X + threadIdx.x;
    int y = blockIdx.y * THREADS_Y + threadIdx.y;
    int z = blockIdx.z * THREADS_Z + threadIdx.z;
    if (x >= width || y >= rows || z >= heads) return;
    cache[(z * rows + y) * width + x] = states[(y * heads + z) * width + x];
}
