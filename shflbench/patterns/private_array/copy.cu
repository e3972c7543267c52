//: local dtype=f32,f64 length=32,4,8,16,48,64,128,256
//: smem dtype=f32,f64 length=32,4,8,16,48,64,128
//: smem-dp4a dtype=f32 length=32,4,8,16,48,64,128
//: select dtype=f32,f64 length=4,8,16,32,48,64
//: select-bits dtype=f32,f64 length=4,8,16,32,64

//! local
// A private array of {length} elements, which lies in local memory if it is read at an index that is not known at
// compile time.
struct PrivateArray {
    alignas(16) {T} elements[{length}];

    // Copies the elements from memory, where they lie `stride` elements apart.
    __device__ explicit PrivateArray(const {T}* source, int stride = 1) {
        #pragma unroll
        for (int i = 0; i < {length}; ++i) elements[i] = source[i * stride];
    }
    __device__ {T} operator[](unsigned index) const { return elements[index]; }
};

//! smem
// A private array of {length} elements in shared memory: element i of thread t lies at i * blockDim.x + t, so that the
// lanes of a warp read different banks, whatever their indices. Blocks must be one-dimensional.
struct PrivateArray {
    char* first;
    unsigned pitch;  // bytes from one element to the next

    // Copies the elements from memory, where they lie `stride` elements apart. `slots` is shared memory, {length} elements
    // per thread of the block.
    __device__ PrivateArray(const {T}* source, {T}* slots, int stride = 1)
        : first(reinterpret_cast<char*>(slots + threadIdx.x)), pitch(blockDim.x * sizeof({T})) {
        assert(blockDim.y * blockDim.z == 1);
        constexpr int BATCH = {length} < 8 ? {length} : 8;  // loads that overlap
        #pragma unroll 1
        for (int batch = 0; batch < {length} / BATCH; ++batch) {
            #pragma unroll
            for (int i = batch * BATCH; i < (batch + 1) * BATCH; ++i) (*this)[i] = source[i * stride];
        }
    }
    __device__ {T}& operator[](unsigned index) const { return *reinterpret_cast<{T}*>(first + index * pitch); }
};

//! smem-dp4a
// A private array of {length} elements in shared memory, at most 256: element i of lane l is the warp's 32 * i + l-th, so
// that the lanes read different banks, whatever their indices. Blocks must be one-dimensional.
struct PrivateArray {
    unsigned mine;  // where the first element of this thread lies in shared memory, in bytes

    // Copies the elements from memory, where they lie `stride` elements apart. `slots` is shared memory, {length} * 32
    // elements per warp of the block.
    __device__ PrivateArray(const {T}* source, {T}* slots, int stride = 1)
        : mine(__cvta_generic_to_shared(slots + threadIdx.x / 32 * {length} * 32 + threadIdx.x % 32)) {
        assert(blockDim.y * blockDim.z == 1);
        {T}* const own = slots + threadIdx.x / 32 * {length} * 32 + threadIdx.x % 32;
        #pragma unroll
        for (int i = 0; i < {length}; ++i) own[i * 32] = source[i * stride];
    }
    // Returns the element whose index is the lowest byte of `word`; the other three bytes are ignored. One dot product
    // of four bytes takes that byte, multiplies it by the distance between elements, and adds the place of the first.
    __device__ {T} operator[](unsigned word) const {
        constexpr unsigned DISTANCE = 32 * sizeof({T});
        static_assert(DISTANCE < 256, "a byte");
        return *static_cast<const {T}*>(__cvta_shared_to_generic(__dp4a(word, DISTANCE, mine)));
    }
};

//! select
// A private array of {length} elements in registers: the index is compared with each constant in turn.
struct PrivateArray {
    {T} elements[{length}];

    // Copies the elements from memory, where they lie `stride` elements apart.
    __device__ explicit PrivateArray(const {T}* source, int stride = 1) {
        #pragma unroll
        for (int i = 0; i < {length}; ++i) elements[i] = source[i * stride];
    }
    __device__ {T} operator[](unsigned index) const {
        {T} element = elements[0];
        #pragma unroll
        for (int i = 1; i < {length}; ++i) element = index == i ? elements[i] : element;
        return element;
    }
};

//! select-bits
// Returns element `index` of an array in registers; the number of elements is a power of two. Each bit of the index,
// from the lowest on, halves the number of candidates.
template <int COUNT>
__device__ inline {T} select(const {T} (&elements)[COUNT], unsigned index) {
    if constexpr (COUNT == 1) {
        return elements[0];
    } else {
        {T} half[COUNT / 2];
        #pragma unroll
        for (int i = 0; i < COUNT / 2; ++i) half[i] = index % 2 ? elements[2 * i + 1] : elements[2 * i];
        return select(half, index / 2);
    }
}

// A private array of {length} elements in registers.
struct PrivateArray {
    {T} elements[{length}];

    // Copies the elements from memory, where they lie `stride` elements apart.
    __device__ explicit PrivateArray(const {T}* source, int stride = 1) {
        #pragma unroll
        for (int i = 0; i < {length}; ++i) elements[i] = source[i * stride];
    }
    __device__ {T} operator[](unsigned index) const { return select(elements, index); }
};
