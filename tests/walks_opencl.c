/* walks_opencl.c: is every walk OpenCL C? Builds each header of src/walk alone, then all
 * kernels of kernels.h, on every OpenCL device found.
 *
 *     walks_opencl SRC HEADER...      SRC: the source folder; HEADER: as in "walk/ac.h"
 *
 * Exit status: 0 built, 1 not, 77 no device (1 under TRAWL_NEED_OPENCL=1).
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 64, SKIPPED = 77 };

#define KERNELS "walk/kernels.h"

static const char *const kernels[] = { "trawl_bm",       "trawl_wm",   "trawl_ac", "trawl_pfac",
                                       "trawl_shiftand", "trawl_hnfa", "trawl_bb", "trawl_byr" };

static void print_build_log(cl_program program, cl_device_id device)
{
    size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(size + 1, 1);
    if (log &&
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL) == CL_SUCCESS)
        fprintf(stderr, "%s\n", log);
    free(log);
}

static bool has_kernels(cl_program program)
{
    bool all = true;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        cl_int status;
        cl_kernel kernel = clCreateKernel(program, kernels[i], &status);
        if (status != CL_SUCCESS) {
            fprintf(stderr, "there is no kernel %s (%d)\n", kernels[i], status);
            all = false;
        } else {
            clReleaseKernel(kernel);
        }
    }
    return all;
}

static bool build(cl_context context, cl_device_id device, const char *folder, const char *header)
{
    char source[256], options[1024];
    const char *text = source;
    cl_int status;
    snprintf(source, sizeof source, "#include \"%s\"\n", header);
    snprintf(options, sizeof options, "-cl-std=CL1.2 -I %s", folder);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    if (status != CL_SUCCESS) {
        fprintf(stderr, "clCreateProgramWithSource: %d\n", status);
        return false;
    }
    status = clBuildProgram(program, 1, &device, options, NULL, NULL);
    bool built = status == CL_SUCCESS;
    if (!built) {
        fprintf(stderr, "%s is not OpenCL C (%d):\n", header, status);
        print_build_log(program, device);
    } else if (strcmp(header, KERNELS) == 0) {
        built = has_kernels(program);
    }
    clReleaseProgram(program);
    return built;
}

static bool build_on(cl_device_id device, const char *folder, char *const *headers, int count)
{
    char name[128] = "?";
    cl_int status;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    if (status != CL_SUCCESS) {
        fprintf(stderr, "clCreateContext on %s: %d\n", name, status);
        return false;
    }
    int built = 0;
    for (int i = 0; i < count; i++)
        built += build(context, device, folder, headers[i]);
    clReleaseContext(context);
    printf("%s: %d of %d headers are OpenCL C\n", name, built, count);
    return built == count;
}

static cl_uint find_devices(cl_device_id *devices)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0, count = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < platform_count && i < MAX_PLATFORMS; i++) {
        cl_uint more = 0;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MAX_DEVICES - count, devices + count,
                           &more) == CL_SUCCESS)
            count += more < MAX_DEVICES - count ? more : MAX_DEVICES - count;
        if (count == MAX_DEVICES)
            break;
    }
    return count;
}

int main(int argc, char **argv)
{
    cl_device_id devices[MAX_DEVICES];
    if (argc < 3) {
        fprintf(stderr, "usage: walks_opencl SRC HEADER...\n");
        return 2;
    }
    const cl_uint count = find_devices(devices);
    if (count == 0) {
        const char *needed = getenv("TRAWL_NEED_OPENCL");
        printf("no OpenCL device: install pocl-opencl-icd, which runs OpenCL on the CPU\n");
        return needed && strcmp(needed, "1") == 0 ? 1 : SKIPPED;
    }
    bool all = true;
    for (cl_uint i = 0; i < count; i++)
        all &= build_on(devices[i], argv[1], argv + 2, argc - 2);
    return all ? 0 : 1;
}
