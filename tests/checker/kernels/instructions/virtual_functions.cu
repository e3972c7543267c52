// sound
// launch: 2x32

struct Shape {
    int side;
    __device__ explicit Shape(int length) : side(length) {}
    __device__ virtual int size() const = 0;
};
struct Square : Shape {
    using Shape::Shape;
    __device__ __noinline__ int size() const override { return side * side; }
};
struct Cube : Shape {
    using Shape::Shape;
    __device__ __noinline__ int size() const override { return side * side * side; }
};

__global__ void k(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Square square(in[i]);
    Cube cube(in[i]);
    const Shape *shape = in[i] % 2 ? static_cast<const Shape *>(&square) : &cube;
    out[i] = shape->size();
}
