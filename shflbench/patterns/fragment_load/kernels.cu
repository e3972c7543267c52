// A warp loads 16 matrices of 8x8 elements of 16 bits from a tile in shared memory, one register per lane and matrix.
#include "copied/ldmatrix-x1.cuh"
#include "copied/ldmatrix-x4.cuh"
#include "copied/ldmatrix-x4-trans.cuh"
#include "copied/lds-128.cuh"
#include "copied/lds-32.cuh"
#include "copied/lds-64.cuh"
#include "copied/lds-halves.cuh"
#include "shflbench.cuh"
#include "tiles.cuh"

// A lane's words of four matrices at once.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_lds_128(const T* values, int* result, int iterations) {
    using namespace shflbench::lds_128;
    const char* tiles = tiles_by_rows<STRIDE, place>(values);
    const int size = tile_bytes<SIDE * STRIDE>();
    Fragments own;
    REPEAT(iterations) {
        load_fragments(own.word, tiles, own.tile * size, first_row());
        own.use();
    }
    own.store(result);
}

// A lane's words of two matrices at once.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_lds_64(const T* values, int* result, int iterations) {
    using namespace shflbench::lds_64;
    const char* tiles = tiles_by_rows<STRIDE, place>(values);
    const int size = tile_bytes<SIDE * STRIDE>();
    Fragments own;
    REPEAT(iterations) {
        load_fragments(own.word, tiles, own.tile * size, first_row());
        own.use();
    }
    own.store(result);
}

template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_lds_32(const T* values, int* result, int iterations) {
    using namespace shflbench::lds_32;
    const char* tiles = tiles_by_rows<STRIDE, place>(values);
    const int size = tile_bytes<SIDE * STRIDE>();
    Fragments own;
    REPEAT(iterations) {
        load_fragments(own.word, tiles, own.tile * size, first_row());
        own.use();
    }
    own.store(result);
}

#if OPTION_LAYOUT_PLAIN
// Like lds-128, but lanes of odd rows load the halves of a row in the other order, and put them in order in registers.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_lds_halves(const T* values, int* result, int iterations) {
    using namespace shflbench::lds_halves;
    const char* tiles = tiles_by_rows<STRIDE, place>(values);
    const int size = tile_bytes<SIDE * STRIDE>();
    Fragments own;
    REPEAT(iterations) {
        load_fragments(own.word, tiles, own.tile * size, first_row());
        own.use();
    }
    own.store(result);
}
#endif

// Lanes 0 to 7 name the rows of the matrix.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_ldmatrix_x1(const T* values, int* result, int iterations) {
    using namespace shflbench::ldmatrix_x1;
    const char* tiles = tiles_by_rows<STRIDE, place>(values);
    const int size = tile_bytes<SIDE * STRIDE>();
    Fragments own;
    REPEAT(iterations) {
        load_fragments(own.word, tiles, own.tile * size, first_row());
        own.use();
    }
    own.store(result);
}

// Lanes 8 * i to 8 * i + 7 name the rows of matrix i of four.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_ldmatrix_x4(const T* values, int* result, int iterations) {
    using namespace shflbench::ldmatrix_x4;
    const char* tiles = tiles_by_rows<STRIDE, place>(values);
    const int size = tile_bytes<SIDE * STRIDE>();
    Fragments own;
    REPEAT(iterations) {
        load_fragments(own.word, tiles, own.tile * size, first_row());
        own.use();
    }
    own.store(result);
}

// From transposed tiles: lanes 8 * i to 8 * i + 7 name the columns of matrix i of four, which lie in rows.
template <typename T>
__global__ void LAUNCH_BOUNDS fragment_load_ldmatrix_x4_trans(const T* values, int* result, int iterations) {
    using namespace shflbench::ldmatrix_x4_trans;
    const char* tiles = tiles_by_columns<STRIDE, place>(values);
    const int size = tile_bytes<SIDE * STRIDE>();
    Fragments own;
    REPEAT(iterations) {
        load_fragments(own.word, tiles, own.tile * size, first_row());
        own.use();
    }
    own.store(result);
}
