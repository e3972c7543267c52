// broken: RAW a thread reads the box of a sibling in another block, with an atomic but no fence between
// fixed: clean
// launch: 2x64
// source: https://github.com/arborx/ArborX/issues/574, fixed by pull request 579
// Written anew after the thread: no code of it.
// A tree is built from its leaves: each thread stores its box, and the second one at a parent, which an atomic tells, reads both boxes.
// The fix: a fence before the atomic, and one behind it.
// Left out: more than one level, boxes with more than one number.
__device__ unsigned visits[64];

__global__ void build(const float *leaves, float *boxes, float *parents) {
    int i = blockIdx.x * 64 + threadIdx.x, parent = i % 64;
    boxes[i] = fabsf(leaves[i]);  // earlier
#ifdef FIXED
    __threadfence();
#endif
    if (atomicAdd(&visits[parent], 1u) % 2 == 0) return;
#ifdef FIXED
    __threadfence();
#endif
    parents[parent] = fmaxf(boxes[i], boxes[(i + 64) % 128]);  // later
}
