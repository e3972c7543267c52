// Measures one of the kernels.
#include <cstdio>
#include <cstdlib>

#include "transpose.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        printf("Which kernel?\n");
        exit(1);
    }
    int number = atoi(argv[1]);
    if (number < 0 || number > 3) {
        printf("There is no such kernel.\n");
        exit(1);
    }
    for (int n = 256; n <= 512; n += 256) {
        float *in, *out;
        cudaMalloc(&in, n * n * sizeof(float));
        cudaMalloc(&out, n * n * sizeof(float));
        cudaMemset(in, 0, n * n * sizeof(float));
        printf("%f\n", measure(number, n, out, in));
        cudaFree(in);
        cudaFree(out);
    }
}
