//: local register-static register-unrolled dtype=f32,f64 length=32,4,8,16,64

//! register-static
// Adds the elements of a private array to x, in order. All indices are compile-time constants, so that the array can
// lie in registers.
template <int FIRST = 0>
__device__ inline {T} add_elements(const {T} (&a)[{length}], {T} x) {
    if constexpr (FIRST < {length}) return add_elements<FIRST + 1>(a, x + a[FIRST]);
    else return x;
}

//! register-unrolled
// Adds the elements of a private array to x, in order. The compiler unrolls the loop: all indices are constants, so
// that the array can lie in registers.
__device__ inline {T} add_elements(const {T} (&a)[{length}], {T} x) {
    #pragma unroll
    for (int i = 0; i < {length}; ++i) x += a[i];
    return x;
}

//! local
// Adds {length} elements of a private array, from `start` on, to x. If `start` is not known at compile time, the array
// lies in local memory.
__device__ inline {T} add_elements(const {T}* a, int start, {T} x) {
    #pragma unroll
    for (int i = 0; i < {length}; ++i) x += a[start + i];
    return x;
}
