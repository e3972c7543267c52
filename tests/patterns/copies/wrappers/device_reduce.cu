//! *
#include "{copied}"
#include "shflbench.cuh"

__device__ inline size_t words() { return size_t(gridDim.x) * blockDim.x * {per_thread} * sizeof({T}) / sizeof(Word); }

//! interleaved interleaved-strided sequential first-add smem smem-vector
template <typename T>
__global__ void {kernel}(const T* values, Sum* total) {
    add_sum(reinterpret_cast<const Word*>(values), words(), total, shared<Sum>());
//! shfl shfl-vector redux
template <typename T>
__global__ void {kernel}(const T* values, Sum* total) {
    __shared__ Sum of_warps[WARP];
    add_sum(reinterpret_cast<const Word*>(values), words(), total, of_warps);
//! shfl-atomic-warp
template <typename T>
__global__ void {kernel}(const T* values, Sum* total) {
    add_sum(reinterpret_cast<const Word*>(values), words(), total);
//! cub
template <typename T>
__global__ void {kernel}(const T* values, Sum* total) {
    add_sum<BLOCK>(reinterpret_cast<const Word*>(values), words(), total);
//! last-block last-block-acq-rel
template <typename T>
__global__ void {kernel}(const T* values, Sum* total, Sum* partial, unsigned* tickets) {
    __shared__ Sum of_warps[WARP];
    store_sum(reinterpret_cast<const Word*>(values), words(), total, partial, tickets, of_warps);
//! *
}
