/* SPDX-License-Identifier: MIT
 * queries.h: queries, their results, and counters. A part of d3d10umddi.h, which says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_QUERIES_H
#define AEROGPU_DDI_D3D10UMDDI_QUERIES_H

#include "d3d10umddi/handles.h"

/* ne-d3d10umddi-d3d10ddi_query: 10's pipeline statistics are PIPELINESTATS of 10, 11's are its own: the structures
 * differ. Counters begin at 0x1000, the device's own at DEVICE_DEPENDENT_0. */
typedef enum D3D10DDI_QUERY {
    D3D10DDI_QUERY_EVENT                                = 0,
    D3D10DDI_QUERY_OCCLUSION                            = 1,
    D3D10DDI_QUERY_TIMESTAMP                            = 2,
    D3D10DDI_QUERY_TIMESTAMPDISJOINT                    = 3,
    D3D10DDI_QUERY_PIPELINESTATS                        = 4,
    D3D10DDI_QUERY_OCCLUSIONPREDICATE                   = 5,
    D3D10DDI_QUERY_STREAMOUTPUTSTATS                    = 6,
    D3D10DDI_QUERY_STREAMOVERFLOWPREDICATE              = 7,
    D3D11DDI_QUERY_PIPELINESTATS                        = 8,
    D3D11DDI_QUERY_STREAMOUTPUTSTATS_STREAM0            = 9,
    D3D11DDI_QUERY_STREAMOUTPUTSTATS_STREAM1            = 10,
    D3D11DDI_QUERY_STREAMOUTPUTSTATS_STREAM2            = 11,
    D3D11DDI_QUERY_STREAMOUTPUTSTATS_STREAM3            = 12,
    D3D11DDI_QUERY_STREAMOVERFLOWPREDICATE_STREAM0      = 13,
    D3D11DDI_QUERY_STREAMOVERFLOWPREDICATE_STREAM1      = 14,
    D3D11DDI_QUERY_STREAMOVERFLOWPREDICATE_STREAM2      = 15,
    D3D11DDI_QUERY_STREAMOVERFLOWPREDICATE_STREAM3      = 16,
    D3D10DDI_COUNTER_GPU_IDLE                           = 0x1000,
    D3D10DDI_COUNTER_VERTEX_PROCESSING                  = 0x1001,
    D3D10DDI_COUNTER_GEOMETRY_PROCESSING                = 0x1002,
    D3D10DDI_COUNTER_PIXEL_PROCESSING                   = 0x1003,
    D3D10DDI_COUNTER_OTHER_GPU_PROCESSING               = 0x1004,
    D3D10DDI_COUNTER_HOST_ADAPTER_BANDWIDTH_UTILIZATION = 0x1005,
    D3D10DDI_COUNTER_LOCAL_VIDMEM_BANDWIDTH_UTILIZATION = 0x1006,
    D3D10DDI_COUNTER_VERTEX_THROUGHPUT_UTILIZATION      = 0x1007,
    D3D10DDI_COUNTER_TRISETUP_THROUGHPUT_UTILIZATION    = 0x1008,
    D3D10DDI_COUNTER_FILLRATE_THROUGHPUT_UTILIZATION    = 0x1009,
    D3D10DDI_COUNTER_VERTEXSHADER_MEMORY_LIMITED        = 0x100A,
    D3D10DDI_COUNTER_VERTEXSHADER_COMPUTATION_LIMITED   = 0x100B,
    D3D10DDI_COUNTER_GEOMETRYSHADER_MEMORY_LIMITED      = 0x100C,
    D3D10DDI_COUNTER_GEOMETRYSHADER_COMPUTATION_LIMITED = 0x100D,
    D3D10DDI_COUNTER_PIXELSHADER_MEMORY_LIMITED         = 0x100E,
    D3D10DDI_COUNTER_PIXELSHADER_COMPUTATION_LIMITED    = 0x100F,
    D3D10DDI_COUNTER_POST_TRANSFORM_CACHE_HIT_RATE      = 0x1010,
    D3D10DDI_COUNTER_TEXTURE_CACHE_HIT_RATE             = 0x1011,
    D3D10DDI_COUNTER_DEVICE_DEPENDENT_0                 = 0x40000000
} D3D10DDI_QUERY;

#define D3D10DDI_QUERY_MISCFLAG_PREDICATEHINT  0x1u

/* ns-d3d10umddi-d3d10ddiarg_createquery */
typedef struct D3D10DDIARG_CREATEQUERY {
    D3D10DDI_QUERY Query;
    UINT MiscFlags; /* D3D10DDI_QUERY_MISCFLAG_ */
} D3D10DDIARG_CREATEQUERY;

/* ns-d3d10umddi-d3d10_ddi_query_data_timestamp_disjoint: results. Occlusion and timestamp: a UINT64. Event and the
 * predicates: a BOOL. */
typedef struct D3D10_DDI_QUERY_DATA_TIMESTAMP_DISJOINT {
    UINT64 Frequency; /* ticks a second */
    BOOL Disjoint;
} D3D10_DDI_QUERY_DATA_TIMESTAMP_DISJOINT;

/* ns-d3d10umddi-d3d10_ddi_query_data_so_statistics */
typedef struct D3D10_DDI_QUERY_DATA_SO_STATISTICS {
    UINT64 NumPrimitivesWritten;
    UINT64 PrimitivesStorageNeeded;
} D3D10_DDI_QUERY_DATA_SO_STATISTICS;

/* ns-d3d10umddi-d3d10_ddi_query_data_pipeline_statistics */
typedef struct D3D10_DDI_QUERY_DATA_PIPELINE_STATISTICS {
    UINT64 IAVertices;
    UINT64 IAPrimitives;
    UINT64 VSInvocations;
    UINT64 GSInvocations;
    UINT64 GSPrimitives;
    UINT64 CInvocations;
    UINT64 CPrimitives;
    UINT64 PSInvocations;
} D3D10_DDI_QUERY_DATA_PIPELINE_STATISTICS;

/* ns-d3d10umddi-d3d11_ddi_query_data_pipeline_statistics */
typedef struct D3D11_DDI_QUERY_DATA_PIPELINE_STATISTICS {
    UINT64 IAVertices;
    UINT64 IAPrimitives;
    UINT64 VSInvocations;
    UINT64 GSInvocations;
    UINT64 GSPrimitives;
    UINT64 CInvocations;
    UINT64 CPrimitives;
    UINT64 PSInvocations;
    UINT64 HSInvocations;
    UINT64 DSInvocations;
    UINT64 CSInvocations;
} D3D11_DDI_QUERY_DATA_PIPELINE_STATISTICS;

/* ns-d3d10umddi-d3d10ddi_vertex_cache_desc: a description of the vertex cache. No function of Windows 7's tables
 * asks for it. */
typedef struct D3D10DDI_VERTEX_CACHE_DESC {
    UINT Pattern;
    UINT OptMethod;
    UINT CacheSize;
    UINT MagicNumber;
} D3D10DDI_VERTEX_CACHE_DESC;

/* nc-d3d10umddi-pfnd3d10ddi_calcprivatequerysize, pfnd3d10ddi_createquery, pfnd3d10ddi_destroyquery */
typedef SIZE_T(APIENTRY *PFND3D10DDI_CALCPRIVATEQUERYSIZE)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATEQUERY *pCreateQuery);
typedef VOID(APIENTRY *PFND3D10DDI_CREATEQUERY)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ const D3D10DDIARG_CREATEQUERY *pCreateQuery,
    _In_ D3D10DDI_HQUERY hQuery,
    _In_ D3D10DDI_HRTQUERY hRTQuery);
typedef VOID(APIENTRY *PFND3D10DDI_DESTROYQUERY)(_In_ D3D10DDI_HDEVICE hDevice, _In_ D3D10DDI_HQUERY hQuery);

/* nc-d3d10umddi-pfnd3d10ddi_querybegin, pfnd3d10ddi_queryend: event and timestamp queries only end. */
typedef VOID(APIENTRY *PFND3D10DDI_QUERYBEGIN)(_In_ D3D10DDI_HDEVICE hDevice, _In_ D3D10DDI_HQUERY hQuery);
typedef VOID(APIENTRY *PFND3D10DDI_QUERYEND)(_In_ D3D10DDI_HDEVICE hDevice, _In_ D3D10DDI_HQUERY hQuery);

/* The driver does not submit what it waits for. */
typedef enum D3D10_DDI_GET_DATA_FLAG {
    D3D10_DDI_GET_DATA_DO_NOT_FLUSH = 0x1
} D3D10_DDI_GET_DATA_FLAG;

/* nc-d3d10umddi-pfnd3d10ddi_querygetdata: Flags: D3D10_DDI_GET_DATA_FLAG. A result that is not there yet is
 * DXGI_DDI_ERR_WASSTILLDRAWING to pfnSetErrorCb, with pData untouched. A null pData asks whether it is there. */
typedef VOID(APIENTRY *PFND3D10DDI_QUERYGETDATA)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_HQUERY hQuery,
    _Out_opt_ VOID *pData,
    _In_ UINT DataSize,
    _In_ UINT Flags);

typedef enum D3D10DDI_COUNTER_TYPE {
    D3D10DDI_COUNTER_TYPE_FLOAT32 = 0,
    D3D10DDI_COUNTER_TYPE_UINT16  = 1,
    D3D10DDI_COUNTER_TYPE_UINT32  = 2,
    D3D10DDI_COUNTER_TYPE_UINT64  = 3
} D3D10DDI_COUNTER_TYPE;

/* ns-d3d10umddi-d3d10ddi_counter_info */
typedef struct D3D10DDI_COUNTER_INFO {
    D3D10DDI_QUERY LastDeviceDependentCounter;
    UINT NumSimultaneousCounters;
    UINT8 NumDetectableParallelUnits;
} D3D10DDI_COUNTER_INFO;

/* nc-d3d10umddi-pfnd3d10ddi_checkcounterinfo */
typedef VOID(APIENTRY *PFND3D10DDI_CHECKCOUNTERINFO)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _Out_ D3D10DDI_COUNTER_INFO *pCounterInfo);

/* nc-d3d10umddi-pfnd3d10ddi_checkcounter: a driver without counters sets DXGI_DDI_ERR_UNSUPPORTED. Lengths include
 * the final zero; a null text asks for its length. */
typedef VOID(APIENTRY *PFND3D10DDI_CHECKCOUNTER)(
    _In_ D3D10DDI_HDEVICE hDevice,
    _In_ D3D10DDI_QUERY Query,
    _Out_ D3D10DDI_COUNTER_TYPE *pCounterType,
    _Out_ UINT *pActiveCounters,
    _Out_opt_ LPSTR pName,
    _Inout_opt_ UINT *pNameLength,
    _Out_opt_ LPSTR pUnits,
    _Inout_opt_ UINT *pUnitsLength,
    _Out_opt_ LPSTR pDescription,
    _Inout_opt_ UINT *pDescriptionLength);

#endif
