// Normalize the rows of a matrix by their sum. 16 threads per row, 8 rows per block.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define ROWS 8
#define LANES 16
const int COLS = 50;

#define CUDA_OK(e) if ((e) != cudaSuccess) { printf("FAIL cuda %d\n", __LINE__); return 1; }

__global__ void normalizeRows(const int* a, int* out, int nrows, int cols)
{
    __shared__ int s[ROWS][LANES];
    const int x = threadIdx.x, y = threadIdx.y;

    for (int r0 = blockIdx.x * ROWS; r0 < nrows; r0 += gridDim.x * ROWS)
    {
        const int r = r0 + y;
        int sum = 0;
        if (r < nrows)
            for (int c = x; c < cols; c += LANES) sum += a[r * cols + c];
        s[y][x] = sum;
        __syncthreads();                      // row sums are in
        for (int w = LANES / 2; w > 0; w /= 2)
        {
            if (x < w)
            {
                sum += s[y][x + w];
                s[y][x] = sum;
            }
            __syncthreads();
        }
        const int total = s[y][0];
        __syncthreads();                      // everybody has the total
        if (r < nrows)
            for (int c = x; c < cols; c += LANES)
                out[r * cols + c] = a[r * cols + c] * 1000 / (total + 1);
    }
}

int main(int argc, char** argv)
{
    int nrows = 64;
    unsigned seed = 7;
    if (argc > 1) nrows = atoi(argv[1]);
    if (argc > 2) seed = (unsigned)atol(argv[2]);
    if (nrows <= 0 || nrows > 200000) { puts("rows: 1..200000"); return 2; }

    const size_t n = (size_t)nrows * COLS;
    std::vector<int> a(n), got(n);
    for (size_t i = 0; i < n; i++) { seed = seed * 69069u + 1u; a[i] = (seed >> 20) & 1023; }

    int *da, *d_out;
    CUDA_OK(cudaMalloc(&da, n * 4));
    CUDA_OK(cudaMalloc(&d_out, n * 4));
    CUDA_OK(cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice));
    int grid = (nrows + ROWS - 1) / ROWS;
    normalizeRows<<<grid > 8 ? 8 : grid, dim3(LANES, ROWS)>>>(da, d_out, nrows, COLS);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(got.data(), d_out, n * 4, cudaMemcpyDeviceToHost));

    long long check = 0;
    for (int r = 0; r < nrows; r++)
    {
        int total = 0;
        for (int c = 0; c < COLS; c++) total += a[(size_t)r * COLS + c];
        for (int c = 0; c < COLS; c++)
        {
            int want = a[(size_t)r * COLS + c] * 1000 / (total + 1);
            if (want != got[(size_t)r * COLS + c]) { printf("FAIL row %d col %d\n", r, c); return 1; }
            check += (long long)want * (c + 1);
        }
    }
    printf("PASS %lld\n", check);
    return 0;
}
