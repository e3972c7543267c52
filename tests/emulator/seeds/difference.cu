// The difference to the next element: the last one has none, and the last tile has no next tile.
constexpr unsigned ALL = 0xffffffffu;

extern "C" __global__ void reads_the_next_element(const int* values, int* result, int tiles) {
    for (int i = threadIdx.x; i < 32 * tiles; i += 32) {
        result[i] = values[i + 1] - values[i];  // next
    }
}

extern "C" __global__ void reads_the_next_tile(const int* values, int* result, int tiles) {
    const int lane = threadIdx.x;
    int x = values[lane];
    for (int i = lane; i < 32 * tiles; i += 32) {
        const int later = values[i + 32];  // next
        const int right = __shfl_sync(ALL, lane == 0 ? later : x, (lane + 1) & 31);
        result[i] = right - x;
        x = later;
    }
}

// The last element keeps the difference to itself.
extern "C" __global__ void fixed(const int* values, int* result, int tiles) {
    const int lane = threadIdx.x, last = 32 * tiles - 1;
    int x = values[lane];
    for (int i = lane; i <= last; i += 32) {
        const int later = values[min(i + 32, last)];
        const int right = __shfl_sync(ALL, lane == 0 ? later : x, (lane + 1) & 31);
        result[i] = right - x;
        x = later;
    }
}
