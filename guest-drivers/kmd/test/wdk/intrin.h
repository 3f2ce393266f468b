/* SPDX-License-Identifier: MIT
 * intrin.h: included by the driver's nt.h; Linux needs nothing of it. */
