// Sound: each thread has one place of the output, for the sizes of a convolution that its launcher computes.
__global__ void columns(int n, const float *image, int height, int width, int kernel, int pad, int stride, int dilation,
                        int batch, int channels, int rows, int columns, float *out) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= n) return;
    int x = index % columns, y = index / columns % rows, b = index / columns / rows % batch;
    int c = index / columns / rows / batch;
    float *place = out + ((c * kernel * kernel * batch + b) * rows + y) * columns + x;
    const float *plane = image + (b * channels + c) * height * width;
    for (int i = 0; i < kernel; i++)
        for (int j = 0; j < kernel; j++) {
            int h = y * stride - pad + i * dilation, w = x * stride - pad + j * dilation;
            *place = h >= 0 && h < height && w >= 0 && w < width ? plane[h * width + w] : 0;
            place += batch * rows * columns;
        }
}

void image_to_columns(const float *image, int channels, int height, int width, int kernel_size, int pad, int stride_h,
                      int dilation, int batch, float *out, cudaStream_t stream) {
    int rows = (height + 2 * pad - (dilation * (kernel_size - 1) + 1)) / stride_h + 1;
    int wide = (width + 2 * pad - (dilation * (kernel_size - 1) + 1)) / stride_h + 1;
    int n = channels * rows * wide * batch;
    columns<<<(n + 1023) / 1024, 1024, 0, stream>>>(n, image, height, width, kernel_size, pad, stride_h, dilation, batch,
                                                    channels, rows, wide, out);
}
