// Stands for a header that only host code needs: what matmul.cu of fast.cu names is declared.
#pragma once
#include <library_types.h>

typedef struct cublasContext *cublasHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasComputeType_t { CUBLAS_COMPUTE_32F };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT };

cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, ...);
