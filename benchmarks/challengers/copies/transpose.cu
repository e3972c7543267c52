// challenge transpose --option words=8 --shared 32*threads --launch '8*sms x 256'
// challenge transpose --option words=4 --shared 32*threads --launch '8*sms x 256'
#include "copied/half-shfl.cuh"
#include "copied/smem-stmatrix.cuh"
#include "copied/smem-wide.cuh"
#include "shflbench.cuh"
#include "tile.cuh"

// Half of the words by shuffles needs issue slots and the integer unit, `stmatrix` with wide loads the path to shared memory:
// one transpose of five, or two, is of the second kind.
template <typename T>
__global__ void LAUNCH_BOUNDS x_stmatrix_of_5(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    int turn = 0;  // of five
    REPEAT(iterations) {
        turn = turn == 4 ? 0 : turn + 1;
        if (turn == 4) shflbench::smem_stmatrix::striped_to_blocked(tile.word, slots);
        else shflbench::half_shfl::striped_to_blocked(tile.word, slots);
    }
    tile.store(result);
}
template <typename T>
__global__ void LAUNCH_BOUNDS x_two_stmatrix_of_5(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    int turn = 0;  // of five
    REPEAT(iterations) {
        turn = turn == 4 ? 0 : turn + 1;
        if (turn % 2 == 1) shflbench::smem_stmatrix::striped_to_blocked(tile.word, slots);
        else shflbench::half_shfl::striped_to_blocked(tile.word, slots);
    }
    tile.store(result);
}
