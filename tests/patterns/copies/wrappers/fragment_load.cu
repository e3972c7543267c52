//! *
#include "{copied}"
#include "shflbench.cuh"
#include "tiles.cuh"

template <typename T>
__global__ void {kernel}(const T* values, int* result, int iterations) {
    char* tiles = shared<char>();
    copy_tiles(values, [&](int tile, int row, int column, uint4 words) {
        char* to = tiles + tile * SIDE * STRIDE;
//! lds-128 lds-64 lds-32 ldmatrix-x1 ldmatrix-x4
        *reinterpret_cast<unsigned*>(to + place(row, column * 8)) = words.x;
        *reinterpret_cast<unsigned*>(to + place(row, column * 8 + 2)) = words.y;
        *reinterpret_cast<unsigned*>(to + place(row, column * 8 + 4)) = words.z;
        *reinterpret_cast<unsigned*>(to + place(row, column * 8 + 6)) = words.w;
//! ldmatrix-x4-trans
        unsigned short element[8];
        memcpy(element, &words, sizeof words);
        for (int i = 0; i < 8; ++i) *reinterpret_cast<unsigned short*>(to + place(row, column * 8 + i)) = element[i];
//! *
    });
    Fragments own;
    REPEAT(iterations) {
        const char* tile = tiles + own.tile * SIDE * STRIDE;
        load_fragments(own.word, tile + first_row() * STRIDE);  //! lds-128 lds-64 lds-32 ldmatrix-x1 ldmatrix-x4
        load_fragments(own.word, tile, first_row());  //! ldmatrix-x4-trans
        own.use();
    }
    own.store(result);
}
