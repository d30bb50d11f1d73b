// Work-item functions under the names that DPC++ knows as built in. By the
// names of OpenCL C they would be among the imported symbols of an image, and
// DPC++'s runtime wants an image that exports each of those.
__attribute__((overloadable, const)) size_t __spirv_BuiltInGlobalInvocationId(int dimension);
#define get_global_id(dimension) __spirv_BuiltInGlobalInvocationId(dimension)
