// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A peer for bench_sim, where OpenCL is: a tiled SGEMM on the first CPU device, which PoCL compiles, on one thread. Nothing in it is
// checked, and its tiles know no lanes and no matrix instructions.

#define CL_TARGET_OPENCL_VERSION 120
#include "peers.hpp"

#include <CL/cl.h>

#include <cstdlib>
#include <vector>

namespace bench {
namespace {

// 64×64 tiles of C through 16-wide panels in local memory; 16×16 work-items of 4×4 elements each.
constexpr const char* source = R"(
kernel void gemm(global const float* A, global const float* B, global float* C, int n)
{
    local float a[64][16], b[16][64];
    const int x = get_local_id(0), y = get_local_id(1), item = y * 16 + x;
    const int row = get_group_id(1) * 64, col = get_group_id(0) * 64;
    float sum[4][4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] = 0;
    for (int k = 0; k < n; k += 16) {
        for (int e = item; e < 1024; e += 256) {
            a[e / 16][e % 16] = A[(row + e / 16) * n + k + e % 16];
            b[e / 64][e % 64] = B[(k + e / 64) * n + col + e % 64];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int l = 0; l < 16; ++l)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sum[i][j] += a[y * 4 + i][l] * b[l][j * 16 + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) C[(row + y * 4 + i) * n + col + j * 16 + x] = sum[i][j];
}
)";

} // namespace

void opencl_gemm(benchmark::State& state, int n)
{
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
    cl_platform_id platform{};
    cl_device_id device{};
    if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr) != CL_SUCCESS)
        return state.SkipWithError("there is no OpenCL device on this CPU (apt-get install pocl-opencl-icd)");
    cl_int e = CL_SUCCESS;
    const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &e);
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    const char* text = source;
    const cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &e);
    if (clBuildProgram(program, 1, &device, "-cl-fast-relaxed-math", nullptr, nullptr) != CL_SUCCESS)
        return state.SkipWithError("the OpenCL compiler refuses the kernel");
    const cl_kernel kernel = clCreateKernel(program, "gemm", &e);
    const auto elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<float> a(elements, 1.0F), b(elements, 2.0F), c(elements, 0.0F);
    cl_mem buffers[3];
    float* hosts[3] = {a.data(), b.data(), c.data()};
    for (cl_uint i = 0; i < 3; ++i) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, elements * sizeof(float), hosts[i], &e);
        clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
    }
    clSetKernelArg(kernel, 3, sizeof(int), &n);
    const std::size_t local[2] = {16, 16}, global[2] = {static_cast<std::size_t>(n) / 4, static_cast<std::size_t>(n) / 4};
    const auto multiply = [&] {
        e = clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr);
        clFinish(queue);
    };
    multiply();
    clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, elements * sizeof(float), c.data(), 0, nullptr, nullptr);
    for (const float x : c)
        if (e != CL_SUCCESS || x != 2.0F * static_cast<float>(n)) return state.SkipWithError("the product is wrong");
    for (auto _ : state) multiply();
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * n * n * n);
    for (const cl_mem buffer : buffers) clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

} // namespace bench
