// One lane reserves for the whole warp, written with cooperative groups.
#include "copied/cg.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS my_reserve_cg(T* next, T* slots) { slots[thread()] = shflbench::cg::my_reserve_slot(next); }
