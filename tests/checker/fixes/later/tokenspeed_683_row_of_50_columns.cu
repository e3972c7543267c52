// broken: misaligned address, rows are read as float4, and those of 50 columns do not begin at multiples of 16 bytes
// fixed: clean
// launch: 2x32
// source: https://github.com/lightseekorg/tokenspeed/pull/683
// Written anew after the thread: no code of it.
// A block scans its row of probabilities by vectors. Only the first row is aligned if the number of columns is no multiple of four.
// The fix: scalar loads in this case.
// Left out: the selection by top-p, views that begin anywhere, rows that are aligned.
constexpr int COLUMNS = 50;

__global__ void sum_of_row(const float *probabilities, float *sums) {
    const float *row = probabilities + blockIdx.x * COLUMNS;
    int lane = threadIdx.x, column = lane;
    float sum = 0;
#ifndef FIXED
    for (int k = lane; k < COLUMNS / 4; k += 32) {
        float4 four = reinterpret_cast<const float4 *>(row)[k];  // later
        sum += four.x + four.y + four.z + four.w;
    }
    column += COLUMNS / 4 * 4;
#endif
    for (; column < COLUMNS; column += 32) sum += row[column];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) sums[blockIdx.x] = sum;
}
