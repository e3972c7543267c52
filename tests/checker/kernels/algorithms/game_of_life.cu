// sound
// launch: 2x2:8x8

__global__ void k(const int *in, int *out) {
    int width = gridDim.x * 8, height = gridDim.y * 8, alive = 0;
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int *board = in;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            alive += board[(y + dy + height) % height * width + (x + dx + width) % width] & 1;
    out[y * width + x] = alive == 3 || (alive == 4 && (board[y * width + x] & 1));
}
