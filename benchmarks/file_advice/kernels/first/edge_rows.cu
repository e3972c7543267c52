// Horizontal gradient and non-maximum suppression along the rows of an image with 40 rows.
// The block's width follows the width of the image; tiles are treated independently
// in the second pass (no neighbors beyond the tile).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(call) do { cudaError_t s_ = (call); if (s_ != cudaSuccess) { \
    std::fprintf(stderr, "[%s] %s\n", #call, cudaGetErrorString(s_)); std::exit(1); } } while (0)

static const int kRows = 40;

__host__ __device__ inline int pixel(const int* img, int cols, int r, int c)
{
    return c >= 0 && c < cols ? img[r * cols + c] : 0;
}

__global__ void edgeRows(const int* img, int* out, int cols)
{
    extern __shared__ int smem[];
    const int w = blockDim.x, x = threadIdx.x;
    int* row = smem + threadIdx.y * (w + 2);
    const int r = blockIdx.y * blockDim.y + threadIdx.y;   // kRows is a multiple of blockDim.y
    const int c = blockIdx.x * w + x;

    row[x + 1] = pixel(img, cols, r, c);
    if (x == 0) row[0] = pixel(img, cols, r, c - 1);
    if (x == w - 1) row[w + 1] = pixel(img, cols, r, c + 1);
    __syncthreads();

    const int left = row[x];
    const int right = row[x + 2];
    const int g = abs(right - left);
    __syncthreads();

    row[x + 1] = g;
    if (x == 0) row[0] = 0;
    if (x == w - 1) row[w + 1] = 0;
    __syncthreads();

    const int gl = row[x];
    const int gr = row[x + 2];
    __syncthreads();
    if (c < cols) out[r * cols + c] = g >= gl && g > gr ? g : 0;
}

int main(int argc, char** argv)
{
    const int cols = argc > 1 ? std::atoi(argv[1]) : 30;
    const unsigned seed = argc > 2 ? (unsigned)std::atoi(argv[2]) : 1;
    if (cols < 1 || cols > 50000) { std::fprintf(stderr, "columns 1..50000\n"); return 2; }
    const int w = cols <= 32 ? 32 : cols <= 64 ? 64 : 128;

    std::vector<int> img(kRows * cols), got(kRows * cols);
    unsigned z = seed * 2654435769u + 1;
    for (auto& p : img) { z ^= z >> 15; z *= 2246822519u; z += 0x7f4a7c15u; p = z >> 24; }
    int *dImg, *d_out;
    const size_t bytes = img.size() * sizeof(int);
    CK(cudaMalloc(&dImg, bytes));
    CK(cudaMalloc(&d_out, bytes));
    CK(cudaMemcpy(dImg, img.data(), bytes, cudaMemcpyHostToDevice));
    const dim3 block(w, 4), grid((cols + w - 1) / w, kRows / 4);
    edgeRows<<<grid, block, block.y * (w + 2) * sizeof(int)>>>(dImg, d_out, cols);
    CK(cudaGetLastError());
    CK(cudaMemcpy(got.data(), d_out, bytes, cudaMemcpyDeviceToHost));

    unsigned check = 0;
    for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < cols; ++c)
        {
            auto grad = [&](int q) { return std::abs(pixel(img.data(), cols, r, q + 1) - pixel(img.data(), cols, r, q - 1)); };
            const int g = grad(c);
            const int gl = c % w ? grad(c - 1) : 0;
            const int gr = c % w != w - 1 ? grad(c + 1) : 0;
            const int want = g >= gl && g > gr ? g : 0;
            if (got[r * cols + c] != want) { std::printf("FAIL row %d col %d\n", r, c); return 1; }
            check = check * 29 + want;
        }
    std::printf("PASS %u\n", check);
    return 0;
}
