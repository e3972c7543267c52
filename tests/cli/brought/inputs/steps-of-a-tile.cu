// The kernel needs sizes that are multiples of a step of 32, which its caller may pass; it is launched for parts of tiles.
#define TILE 128

__global__ void gather(const int *order, const float *in, float *out, int rows) {
    __shared__ int places[TILE];
    int first = blockIdx.x * TILE;
    int end = min(first + TILE, rows);
    if (first + threadIdx.x < rows) places[threadIdx.x] = order[first + threadIdx.x];
    __syncthreads();
    for (int row = first; row < end; row += 32)
        for (int i = 0; i < 32; i++) {
            int place = places[row - first + i];
            if (place >= 0 && place < rows) out[(row + i) * TILE + threadIdx.x] = in[place * TILE + threadIdx.x];
        }
}

void gather_rows(const int *order, const float *in, float *out, int rows, cudaStream_t stream) {
    gather<<<(rows + TILE - 1) / TILE, TILE, 0, stream>>>(order, in, out, rows);
}
