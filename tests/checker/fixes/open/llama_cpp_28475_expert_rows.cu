// broken: RAW lanes read rows that other lanes of the warp have stored, with no __syncwarp() between
// fixed: clean
// launch: 3x32
// source: https://github.com/ggml-org/llama.cpp/pull/28475, MIT
// Written anew after the thread: no code of it.
// A warp collects the rows of its expert in shared memory, and then reads the list by all lanes. Votes between order no memory.
// The fix: __syncwarp() between both loops.
// Left out: how tokens choose experts, which is their number here; the other race of that request.
constexpr int ROWS = 96;

__global__ void rows_of_expert(const int *tokens, int *result) {
    __shared__ int rows[ROWS];
    int lane = threadIdx.x, expert = blockIdx.x, count = 0;
    for (int row = lane; row < ROWS; row += 32) {
        bool chosen = row % 3 == expert;
        unsigned all = __ballot_sync(0xffffffff, chosen);
        if (chosen) rows[count + __popc(all & ((1u << lane) - 1))] = row;  // earlier
        count += __popc(all);
    }
#ifdef FIXED
    __syncwarp();
#endif
    for (int i = lane; i < count; i += 32) result[expert * ROWS + i] = tokens[rows[i]];  // later
}
