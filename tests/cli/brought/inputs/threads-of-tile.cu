// Sound in the blocks that the index computation presumes: BLOCK_SIZE * BLOCK_SIZE, and (BM / TM) * (BN / TN) threads.
template <int BLOCK_SIZE>
__global__ void product(int n, const float *a, const float *b, float *c) {
    const int WIDTH = BLOCK_SIZE;
    __shared__ float left[WIDTH * WIDTH];
    __shared__ float right[WIDTH * WIDTH];
    int column = threadIdx.x % WIDTH;
    int row = threadIdx.x / WIDTH;
    a += blockIdx.y * WIDTH * n;
    b += blockIdx.x * WIDTH;
    c += blockIdx.y * WIDTH * n + blockIdx.x * WIDTH;
    float sum = 0;
    for (int k = 0; k < n; k += WIDTH) {
        left[row * WIDTH + column] = a[row * n + k + column];
        right[row * WIDTH + column] = b[(row + k) * n + column];
        __syncthreads();
        for (int i = 0; i < WIDTH; i++) sum += left[row * WIDTH + i] * right[i * WIDTH + column];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
template __global__ void product<16>(int n, const float *a, const float *b, float *c);

// One thread has a tile of results: (BM / TM) * (BN / TN) threads.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void tiles(int n, const float *a, const float *b, float *c) {
    const int columns = BN / TN;
    const int thread_num = columns * (BM / TM);
    __shared__ float left[BK * BM];
    __shared__ float right[BK * BN];
    int column = (threadIdx.x % columns) * TN;
    int row = (threadIdx.x / columns) * TM;
    a += blockIdx.y * BM * n;
    b += blockIdx.x * BN;
    c += blockIdx.y * BM * n + blockIdx.x * BN;
    float sum[TM][TN] = {0.};
    for (int k = 0; k < n; k += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += thread_num) left[i] = a[i / BK * n + i % BK + k];
        for (int i = threadIdx.x; i < BN * BK; i += thread_num) right[i] = b[(i / BN + k) * n + i % BN];
        __syncthreads();
        for (int i = 0; i < BK; i++)
            for (int y = 0; y < TM; y++)
                for (int x = 0; x < TN; x++) sum[y][x] += left[(row + y) * BK + i] * right[i * BN + column + x];
        __syncthreads();
    }
    for (int y = 0; y < TM; y++)
        for (int x = 0; x < TN; x++) c[(row + y) * n + column + x] = sum[y][x];
}
template __global__ void tiles<64, 64, 8, 4, 4>(int n, const float *a, const float *b, float *c);
