// A race: no barrier lies between the store to `first` and its reads, which only points on the grid within the box reach.
__global__ void place(const int *point, const int *stride, const int *box_min, const int *box_max, int *cell, int n)
{
    __shared__ int first;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) first = box_min[0];
    if (i >= n) return;
    int coordinate[3];
    for (int axis = 0; axis < 3; axis++) {
        if (point[3 * i + axis] % stride[axis] != 0) return;
        coordinate[axis] = point[3 * i + axis] / stride[axis];
        if (coordinate[axis] < box_min[axis] || coordinate[axis] > box_max[axis]) return;
    }
    cell[i] = coordinate[0] - first;
}
