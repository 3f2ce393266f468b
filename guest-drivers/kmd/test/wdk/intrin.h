/* SPDX-License-Identifier: MIT
 * intrin.h: the driver's nt.h asks for it; on Linux nothing of it is needed. */
