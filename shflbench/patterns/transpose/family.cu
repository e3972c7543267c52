// The family of transpositions: each member is one choice of the template's parameters. The register number of a word changes
// places with the lowest bits of its lane number, and then lanes rotate. Only powers of two have such numbers.
#include "bit_exchange.cuh"
#include "tile.cuh"

constexpr int WORD_BITS = WORDS == 32 ? 5 : WORDS == 16 ? 4 : WORDS == 8 ? 3 : WORDS == 4 ? 2 : 1;

template <typename T, typename C>
__global__ void LAUNCH_BOUNDS transpose_member(const T* values, T* result, int iterations) {
    using Words = Exchange<WORD_BITS, WORD_BITS, 0, 5 - WORD_BITS, C>;
    unsigned* const slots = Words::slots();
    int offset = 0;
    const int one = opaque_one();
    Tile<unsigned> tile(reinterpret_cast<const unsigned*>(values));
    REPEAT(iterations) Words::run(tile.word, slots, offset, one);
    tile.store(reinterpret_cast<unsigned*>(result));
}
