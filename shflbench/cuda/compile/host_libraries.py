"""Types of CUDA's libraries for the host, for classes with members of these types that device code may have, too.

Handles are pointers and the others enumerations, as in the headers of these libraries. Their functions and
most constants belong to host code, which is removed.
"""

from __future__ import annotations

import re
from functools import cache

_HANDLES = {
    "cublas": "cublasHandle_t cublasLtHandle_t cublasLtMatmulDesc_t cublasLtMatrixLayout_t cublasLtMatmulPreference_t "
    "cublasLtMatrixTransformDesc_t cublasXtHandle_t",
    "cusparse": "cusparseHandle_t cusparseMatDescr_t cusparseSpMatDescr_t cusparseSpVecDescr_t cusparseDnMatDescr_t "
    "cusparseDnVecDescr_t cusparseSpGEMMDescr_t cusparseSpSVDescr_t cusparseSpSMDescr_t cusparseSpMMOpPlan_t "
    "csrsv2Info_t csrsm2Info_t csric02Info_t csrilu02Info_t bsrsv2Info_t bsrsm2Info_t bsric02Info_t bsrilu02Info_t "
    "csrgemm2Info_t cusparseColorInfo_t pruneInfo_t",
    "cusolver": "cusolverDnHandle_t cusolverSpHandle_t cusolverRfHandle_t cusolverMgHandle_t cusolverDnParams_t "
    "syevjInfo_t gesvdjInfo_t csrqrInfo_t csrcholInfo_t csrluInfoHost_t cusolverDnIRSParams_t cusolverDnIRSInfos_t",
    "curand": "curandGenerator_t",
    "cudnn": "cudnnHandle_t cudnnTensorDescriptor_t cudnnFilterDescriptor_t cudnnConvolutionDescriptor_t "
    "cudnnPoolingDescriptor_t cudnnActivationDescriptor_t cudnnSoftmaxDescriptor_t cudnnLRNDescriptor_t "
    "cudnnDropoutDescriptor_t cudnnRNNDescriptor_t cudnnRNNDataDescriptor_t cudnnOpTensorDescriptor_t "
    "cudnnReduceTensorDescriptor_t cudnnSpatialTransformerDescriptor_t cudnnSeqDataDescriptor_t cudnnAttnDescriptor_t "
    "cudnnBackendDescriptor_t",
    "nccl": "ncclComm_t",
    "nvjpeg": "nvjpegHandle_t nvjpegJpegState_t nvjpegEncoderState_t nvjpegEncoderParams_t",
    "cutensor": "cutensorHandle_t cutensorTensorDescriptor_t cutensorOperationDescriptor_t cutensorPlan_t",
}
_ENUMERATIONS = {
    "cublas": "cublasStatus_t cublasOperation_t cublasFillMode_t cublasDiagType_t cublasSideMode_t cublasPointerMode_t "
    "cublasAtomicsMode_t cublasGemmAlgo_t cublasMath_t cublasComputeType_t cublasLtEpilogue_t cublasLtOrder_t",
    "cusparse": "cusparseStatus_t cusparsePointerMode_t cusparseAction_t cusparseMatrixType_t cusparseFillMode_t "
    "cusparseDiagType_t cusparseIndexBase_t cusparseOperation_t cusparseDirection_t cusparseSolvePolicy_t "
    "cusparseFormat_t cusparseOrder_t cusparseIndexType_t cusparseSpMVAlg_t cusparseSpMMAlg_t cusparseSpGEMMAlg_t "
    "cusparseSparseToDenseAlg_t cusparseDenseToSparseAlg_t cusparseCsr2CscAlg_t cusparseSpSVAlg_t cusparseSpSMAlg_t "
    "cusparseColorAlg_t cusparseAlgMode_t",
    "cusolver": "cusolverStatus_t cusolverEigType_t cusolverEigMode_t cusolverEigRange_t",
    "curand": "curandStatus_t curandRngType_t curandOrdering_t curandMethod_t",
    "cudnn": "cudnnStatus_t cudnnDataType_t cudnnTensorFormat_t cudnnConvolutionMode_t cudnnConvolutionFwdAlgo_t "
    "cudnnConvolutionBwdDataAlgo_t cudnnConvolutionBwdFilterAlgo_t cudnnPoolingMode_t cudnnActivationMode_t "
    "cudnnSoftmaxMode_t cudnnSoftmaxAlgorithm_t cudnnBatchNormMode_t cudnnRNNMode_t cudnnMathType_t "
    "cudnnNanPropagation_t cudnnOpTensorOp_t cudnnReduceTensorOp_t",
    "nccl": "ncclResult_t ncclDataType_t ncclRedOp_t",
    "nvjpeg": "nvjpegStatus_t nvjpegOutputFormat_t nvjpegBackend_t",
    "cutensor": "cutensorStatus_t cutensorOperator_t cutensorAlgo_t",
}
# Values that declarations have as defaults of parameters and members.
_VALUES = {
    "cublasStatus_t": "CUBLAS_STATUS_SUCCESS = 0",
    "cublasOperation_t": "CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2",
    "cublasGemmAlgo_t": "CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DFALT_TENSOR_OP = 99, "
    "CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99",
    "cublasComputeType_t": "CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70, "
    "CUBLAS_COMPUTE_32I = 72",
    "cusparseStatus_t": "CUSPARSE_STATUS_SUCCESS = 0",
    "cusparseIndexBase_t": "CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1",
    "cusparseOperation_t": "CUSPARSE_OPERATION_NON_TRANSPOSE = 0, CUSPARSE_OPERATION_TRANSPOSE = 1",
    "cusolverStatus_t": "CUSOLVER_STATUS_SUCCESS = 0",
    "curandStatus_t": "CURAND_STATUS_SUCCESS = 0",
    "curandRngType_t": "CURAND_RNG_PSEUDO_DEFAULT = 100",
    "cudnnStatus_t": "CUDNN_STATUS_SUCCESS = 0",
    "ncclResult_t": "ncclSuccess = 0",
}
_UNIQUE_ID = "typedef struct { char internal[128]; } ncclUniqueId;"
_INCLUDED = ("cuda_fp16.h", "cuda_bf16.h", "cuComplex.h", "library_types.h")  # as by cublas_api.h
_OF_DEVICE = re.compile(r"curand_(?!precalc)\w+\.h|nccl_device")  # what device code calls
_OF_LIBRARY = re.compile(r"(cublas|cusparse|cusolver|curand|cudnn|nccl|nvjpeg|cutensor)(?:\w*\.h|/[\w/]+\.h)")


@cache
def library_types(header: str) -> str | None:
    """Return the types that a header of a library brings; None for another header."""
    match = _OF_LIBRARY.fullmatch(header)
    if match is None or _OF_DEVICE.match(header):
        return None
    name = match[1]
    lines = [
        *(f"#include <{item}>" for item in _INCLUDED),
        f"#ifndef SHFLBENCH_{name.upper()}",
        f"#define SHFLBENCH_{name.upper()}",
        *(f"typedef struct {item[:-2]}_of_library *{item};" for item in _HANDLES[name].split()),
        *(f"typedef enum {{ {_VALUES.get(item, '')} }} {item};" for item in _ENUMERATIONS[name].split()),
        *([_UNIQUE_ID] if name == "nccl" else []),
        "#endif",
    ]
    return "\n".join([*lines, ""])
