//! *
#include "{copied}"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(T* next, T* slots, int stride) { slots[thread()] = reserve_slot(next, lane() * stride); }  //! atomic
__global__ void {kernel}(T* next, T* slots) { slots[thread()] = reserve_slot(next, shared<T>()); }  //! leader-smem
__global__ void {kernel}(T* next, T* slots) { slots[thread()] = reserve_slot(next); }  //! atomic-plain leader-shfl elect cg
