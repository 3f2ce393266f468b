/* SPDX-License-Identifier: MIT
 * versions.h: the numbers of the interface versions, and which table belongs to which. A part of d3d10umddi.h,
 * which says more. */
#ifndef AEROGPU_DDI_D3D10UMDDI_VERSIONS_H
#define AEROGPU_DDI_D3D10UMDDI_VERSIONS_H

/* "Version Numbers for Direct3D Version 10.1". An interface is major << 16 | minor. What GetSupportedVersions
 * lists is interface << 32 | build << 16. The Version that a runtime passes is build << 16 | its own revision:
 * compare it with >= only. The x versions have the extended formats (BGRA and its kin); the vista ones came to
 * Vista by an update; the 7 ones ask for the scheduling of a later driver model, which no WDDM 1.1 driver offers. */
#define D3D10_DDI_MAJOR_VERSION 10
#define D3D11_DDI_MAJOR_VERSION 11

/* Not of the original: the number of a version, for the list. */
#define D3D10UMDDI_SUPPORTED(Version) \
    (((UINT64)Version##_DDI_INTERFACE_VERSION << 32) | ((UINT64)Version##_DDI_BUILD_VERSION << 16))

/* D3D10on9: level 9; no driver of this folder has it. */
#define D3D10on9_DDI_MINOR_VERSION      0
#define D3D10on9_DDI_BUILD_VERSION      0
#define D3D10on9_DDI_INTERFACE_VERSION  ((D3D10_DDI_MAJOR_VERSION << 16) | D3D10on9_DDI_MINOR_VERSION)
#define D3D10on9_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D10on9)

/* D3D10_0: the table of 10. */
#define D3D10_0_DDI_MINOR_VERSION      1
#define D3D10_0_DDI_BUILD_VERSION      4
#define D3D10_0_DDI_INTERFACE_VERSION  ((D3D10_DDI_MAJOR_VERSION << 16) | D3D10_0_DDI_MINOR_VERSION)
#define D3D10_0_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D10_0)

/* D3D10_1: the table of 10.1. */
#define D3D10_1_DDI_MINOR_VERSION      2
#define D3D10_1_DDI_BUILD_VERSION      1
#define D3D10_1_DDI_INTERFACE_VERSION  ((D3D10_DDI_MAJOR_VERSION << 16) | D3D10_1_DDI_MINOR_VERSION)
#define D3D10_1_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D10_1)

/* D3D10_0_x_vista: the table of 10. */
#define D3D10_0_x_vista_DDI_MINOR_VERSION      3
#define D3D10_0_x_vista_DDI_BUILD_VERSION      0
#define D3D10_0_x_vista_DDI_INTERFACE_VERSION  ((D3D10_DDI_MAJOR_VERSION << 16) | D3D10_0_x_vista_DDI_MINOR_VERSION)
#define D3D10_0_x_vista_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D10_0_x_vista)

/* D3D10_1_x_vista: the table of 10.1. */
#define D3D10_1_x_vista_DDI_MINOR_VERSION      4
#define D3D10_1_x_vista_DDI_BUILD_VERSION      0
#define D3D10_1_x_vista_DDI_INTERFACE_VERSION  ((D3D10_DDI_MAJOR_VERSION << 16) | D3D10_1_x_vista_DDI_MINOR_VERSION)
#define D3D10_1_x_vista_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D10_1_x_vista)

/* D3D10_0_x: the table of 10. */
#define D3D10_0_x_DDI_MINOR_VERSION      6
#define D3D10_0_x_DDI_BUILD_VERSION      0
#define D3D10_0_x_DDI_INTERFACE_VERSION  ((D3D10_DDI_MAJOR_VERSION << 16) | D3D10_0_x_DDI_MINOR_VERSION)
#define D3D10_0_x_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D10_0_x)

/* D3D10_1_x: the table of 10.1. */
#define D3D10_1_x_DDI_MINOR_VERSION      7
#define D3D10_1_x_DDI_BUILD_VERSION      0
#define D3D10_1_x_DDI_INTERFACE_VERSION  ((D3D10_DDI_MAJOR_VERSION << 16) | D3D10_1_x_DDI_MINOR_VERSION)
#define D3D10_1_x_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D10_1_x)

/* D3D10_0_7: the table of 10. */
#define D3D10_0_7_DDI_MINOR_VERSION      9
#define D3D10_0_7_DDI_BUILD_VERSION      0
#define D3D10_0_7_DDI_INTERFACE_VERSION  ((D3D10_DDI_MAJOR_VERSION << 16) | D3D10_0_7_DDI_MINOR_VERSION)
#define D3D10_0_7_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D10_0_7)

/* D3D10_1_7: the table of 10.1. */
#define D3D10_1_7_DDI_MINOR_VERSION      10
#define D3D10_1_7_DDI_BUILD_VERSION      0
#define D3D10_1_7_DDI_INTERFACE_VERSION  ((D3D10_DDI_MAJOR_VERSION << 16) | D3D10_1_7_DDI_MINOR_VERSION)
#define D3D10_1_7_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D10_1_7)

/* D3D11_0_vista: the table of 11. */
#define D3D11_0_vista_DDI_MINOR_VERSION      9
#define D3D11_0_vista_DDI_BUILD_VERSION      0
#define D3D11_0_vista_DDI_INTERFACE_VERSION  ((D3D11_DDI_MAJOR_VERSION << 16) | D3D11_0_vista_DDI_MINOR_VERSION)
#define D3D11_0_vista_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D11_0_vista)

/* D3D11_0: the table of 11. */
#define D3D11_0_DDI_MINOR_VERSION      10
#define D3D11_0_DDI_BUILD_VERSION      2
#define D3D11_0_DDI_INTERFACE_VERSION  ((D3D11_DDI_MAJOR_VERSION << 16) | D3D11_0_DDI_MINOR_VERSION)
#define D3D11_0_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D11_0)

/* D3D11_0_7: the table of 11. */
#define D3D11_0_7_DDI_MINOR_VERSION      11
#define D3D11_0_7_DDI_BUILD_VERSION      2
#define D3D11_0_7_DDI_INTERFACE_VERSION  ((D3D11_DDI_MAJOR_VERSION << 16) | D3D11_0_7_DDI_MINOR_VERSION)
#define D3D11_0_7_DDI_SUPPORTED          D3D10UMDDI_SUPPORTED(D3D11_0_7)

/* Versions of runtimes that were sold. */
#define D3D10_0_DDI_VERSION_VISTA_GOLD                          ((D3D10_0_DDI_BUILD_VERSION << 16) | 6000)
#define D3D10_0_DDI_VERSION_VISTA_GOLD_WITH_LINKED_ADAPTER_QFE  ((D3D10_0_DDI_BUILD_VERSION << 16) | 6008)
#define D3D10_1_DDI_VERSION_VISTA_GOLD                          ((D3D10_1_DDI_BUILD_VERSION << 16) | 6000)
#define D3D10_1_DDI_VERSION_VISTA_SP1                           ((D3D10_1_DDI_BUILD_VERSION << 16) | 6008)

/* ns-dxgiddi-dxgi1_1_ddi_base_functions: whether a device's DXGI table has the eighth function. The table is as
 * long as this says, and no longer: writing the eighth pointer into a table of seven overwrites the runtime's
 * memory. */
#define IS_DXGI1_1_BASE_FUNCTIONS(Interface, Version)                                             \
    (((Interface) >> 16) > D3D11_DDI_MAJOR_VERSION ||                                             \
     (((Interface) >> 16) == D3D11_DDI_MAJOR_VERSION && ((Version) & 0xFFFFu) > 8) ||             \
     (((Interface) >> 16) == D3D10_DDI_MAJOR_VERSION && ((Version) & 0xFFFFu) > 6008))

#endif
