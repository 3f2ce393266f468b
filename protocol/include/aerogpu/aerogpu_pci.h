/* SPDX-License-Identifier: MIT */
/* The PCI function: identity, BARs, BAR0 registers. docs/abi/pci.md. */
#ifndef AEROGPU_PCI_H
#define AEROGPU_PCI_H

#include "aerogpu_base.h"

/* Identity. */
#define AEROGPU_PCI_VENDOR_ID 0xA3A0U
#define AEROGPU_PCI_DEVICE_ID 1U
#define AEROGPU_PCI_SUBSYSTEM_VENDOR_ID 0xA3A0U
#define AEROGPU_PCI_SUBSYSTEM_ID 1U
#define AEROGPU_PCI_CLASS_CODE_DISPLAY_CONTROLLER 3U
#define AEROGPU_PCI_SUBCLASS_VGA_COMPATIBLE 0U
#define AEROGPU_PCI_PROG_IF 0U

/* BARs: registers (32-bit, non-prefetchable) and the VRAM aperture (prefetchable). */
#define AEROGPU_PCI_BAR0_INDEX 0U
#define AEROGPU_PCI_BAR0_SIZE_BYTES 0x10000U
#define AEROGPU_PCI_BAR1_INDEX 1U
#define AEROGPU_PCI_BAR1_SIZE_BYTES 0x4000000U
#define AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES 0x40000U

/* Register offsets in BAR0, bytes. Registers are 32 bits wide; 64-bit values are LO, then HI. */
#define AEROGPU_MMIO_REG_MAGIC 0x0000U                      /* RO */
#define AEROGPU_MMIO_REG_ABI_VERSION 0x0004U                /* RO */
#define AEROGPU_MMIO_REG_FEATURES_LO 0x0008U                /* RO */
#define AEROGPU_MMIO_REG_FEATURES_HI 0x000CU                /* RO */
#define AEROGPU_MMIO_REG_RING_GPA_LO 0x0100U                /* RW */
#define AEROGPU_MMIO_REG_RING_GPA_HI 0x0104U                /* RW */
#define AEROGPU_MMIO_REG_RING_SIZE_BYTES 0x0108U            /* RW */
#define AEROGPU_MMIO_REG_RING_CONTROL 0x010CU               /* RW, AEROGPU_RING_CONTROL_* */
#define AEROGPU_MMIO_REG_FENCE_GPA_LO 0x0120U               /* RW, 0 = no fence page */
#define AEROGPU_MMIO_REG_FENCE_GPA_HI 0x0124U               /* RW */
#define AEROGPU_MMIO_REG_COMPLETED_FENCE_LO 0x0130U         /* RO, latches HI */
#define AEROGPU_MMIO_REG_COMPLETED_FENCE_HI 0x0134U         /* RO */
#define AEROGPU_MMIO_REG_DOORBELL 0x0200U                   /* WO */
#define AEROGPU_MMIO_REG_IRQ_STATUS 0x0300U                 /* RO */
#define AEROGPU_MMIO_REG_IRQ_ENABLE 0x0304U                 /* RW */
#define AEROGPU_MMIO_REG_IRQ_ACK 0x0308U                    /* WO, write 1 to clear */
#define AEROGPU_MMIO_REG_ERROR_CODE 0x0310U                 /* RO, enum aerogpu_error_code */
#define AEROGPU_MMIO_REG_ERROR_FENCE_LO 0x0314U             /* RO */
#define AEROGPU_MMIO_REG_ERROR_FENCE_HI 0x0318U             /* RO */
#define AEROGPU_MMIO_REG_ERROR_COUNT 0x031CU                /* RO, saturates */
#define AEROGPU_MMIO_REG_SCANOUT0_ENABLE 0x0400U            /* RW */
#define AEROGPU_MMIO_REG_SCANOUT0_WIDTH 0x0404U             /* RW, pixels */
#define AEROGPU_MMIO_REG_SCANOUT0_HEIGHT 0x0408U            /* RW, pixels */
#define AEROGPU_MMIO_REG_SCANOUT0_FORMAT 0x040CU            /* RW, enum aerogpu_format */
#define AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES 0x0410U       /* RW */
#define AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO 0x0414U         /* RW */
#define AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI 0x0418U         /* RW, the write flips */
#define AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO 0x0420U     /* RO, latches HI */
#define AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_HI 0x0424U     /* RO */
#define AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO 0x0428U /* RO, latches HI */
#define AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_HI 0x042CU /* RO */
#define AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS 0x0430U  /* RO */
#define AEROGPU_MMIO_REG_CURSOR_ENABLE 0x0500U              /* RW */
#define AEROGPU_MMIO_REG_CURSOR_X 0x0504U                   /* RW, signed pixels */
#define AEROGPU_MMIO_REG_CURSOR_Y 0x0508U                   /* RW, signed pixels */
#define AEROGPU_MMIO_REG_CURSOR_HOT_X 0x050CU               /* RW */
#define AEROGPU_MMIO_REG_CURSOR_HOT_Y 0x0510U               /* RW */
#define AEROGPU_MMIO_REG_CURSOR_WIDTH 0x0514U               /* RW */
#define AEROGPU_MMIO_REG_CURSOR_HEIGHT 0x0518U              /* RW */
#define AEROGPU_MMIO_REG_CURSOR_FORMAT 0x051CU              /* RW, enum aerogpu_format */
#define AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO 0x0520U           /* RW */
#define AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI 0x0524U           /* RW */
#define AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES 0x0528U         /* RW */

/* Value of the MAGIC register: "AGPU". */
#define AEROGPU_MMIO_MAGIC 0x55504741U

/* FEATURES_LO bits. Bits 32 to 63 (FEATURES_HI) are the project's extension space. */
#define AEROGPU_FEATURE_FENCE_PAGE 1U
#define AEROGPU_FEATURE_CURSOR 2U
#define AEROGPU_FEATURE_SCANOUT 4U
#define AEROGPU_FEATURE_VBLANK 8U
#define AEROGPU_FEATURE_TRANSFER 16U
#define AEROGPU_FEATURE_ERROR_INFO 32U

/* RING_CONTROL bits. */
#define AEROGPU_RING_CONTROL_ENABLE 1U
#define AEROGPU_RING_CONTROL_RESET 2U

/* IRQ_STATUS, IRQ_ENABLE and IRQ_ACK bits. */
#define AEROGPU_IRQ_FENCE 1U
#define AEROGPU_IRQ_SCANOUT_VBLANK 2U
#define AEROGPU_IRQ_ERROR 0x80000000U

/** ERROR_CODE register. */
enum aerogpu_error_code {
  AEROGPU_ERROR_NONE = 0,
  AEROGPU_ERROR_CMD_DECODE = 1, /* malformed */
  AEROGPU_ERROR_OOB = 2,        /* a range or address is outside */
  AEROGPU_ERROR_BACKEND = 3,    /* the GPU side failed */
  AEROGPU_ERROR_INTERNAL = 0xFFFF,
};

#endif /* AEROGPU_PCI_H */
