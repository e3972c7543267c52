//! *
#include "{copied}"
#include "words.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result) {
//! global vector work=copy
    stream(values, result);
//! async work=copy
    stream(values, result, shared<uint4>());
//! global work=read
    combine_bits(stream(values), result);  //! dtype=f32
    combine_bits(stream(values) << threadIdx.x % 2 * 16, result);  //! dtype=bf16
//! vector work=read
    combine_bits(stream(values), result);
//! async work=read
    combine_bits(stream(values, shared<uint4>()), result);
//! *
}
