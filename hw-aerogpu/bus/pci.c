/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PCI function: identity, BARs, VGA decoding, properties, realize, reset.
 * docs/abi/pci.md.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/datadir.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/module.h"
#include "qemu/range.h"
#include "qemu/units.h"
#include "hw/pci/msi.h"
#include "qapi/qapi-commands-control.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/ring/completions.h"
#include "hw-aerogpu/display/cursor.h"
#include "hw-aerogpu/display/console.h"
#include "hw-aerogpu/display/edid.h"
#include "hw-aerogpu/ring/embedder.h"
#include "hw-aerogpu/ring/fence.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/report/history.h"
#include "hw-aerogpu/report/irq.h"
#include "hw-aerogpu/ring/keep.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/bus/gpu_property.h"
#include "hw-aerogpu/bus/module.h"
#include "hw-aerogpu/bus/regs.h"
#include "hw-aerogpu/ring/render.h"
#include "hw-aerogpu/ring/reset.h"
#include "hw-aerogpu/ring/ring_memory.h"
#include "hw-aerogpu/snapshot/failure.h"
#include "hw-aerogpu/snapshot/carry.h"
#include "hw-aerogpu/snapshot/guard.h"
#include "hw-aerogpu/ring/move.h"
#include "hw-aerogpu/snapshot/live.h"
#include "hw-aerogpu/snapshot/pack.h"
#include "hw-aerogpu/snapshot/promise.h"
#include "hw-aerogpu/guest/spaces.h"
#include "hw-aerogpu/people/stats.h"
#include "hw-aerogpu/people/status.h"
#include "hw-aerogpu/display/vblank.h"
#include "hw-aerogpu/bus/vmstate.h"

#define AEROGPU_ROMFILE "vgabios-aerogpu.bin"
#define VGA_PORT 0x3c0 /* attribute controller: every VGA card has it */

/*
 * The device is loaded into a binary that it was not built with. Refuses a
 * binary whose structures may look different.
 */
static bool aerogpu_check_qemu(Error **errp)
{
    g_autoptr(VersionInfo) version = qmp_query_version(NULL);

    if (version->qemu->major != QEMU_VERSION_MAJOR ||
        version->qemu->minor != QEMU_VERSION_MINOR ||
        !aerogpu_compat_size_fits(TYPE_PCI_DEVICE, sizeof(PCIDevice))) {
        error_setg(errp,
                   "aerogpu: built for QEMU %d.%d, this is QEMU %" PRId64
                   ".%" PRId64 ": rebuild the device",
                   QEMU_VERSION_MAJOR, QEMU_VERSION_MINOR, version->qemu->major,
                   version->qemu->minor);
        return false;
    }
    return true;
}

/*
 * Finds the video BIOS: in QEMU's search path (-L), else in the places next to
 * the module. Leaves romfile= of the command line alone.
 */
static bool aerogpu_find_rom(AeroGPUState *s, Error **errp)
{
    g_autofree char *found = NULL;
    g_autofree char *dir = NULL;
    static const char *const places[] = {
        "", "share", "../share",
#ifdef AEROGPU_DATA_FROM_MODULE
        AEROGPU_DATA_FROM_MODULE /* installed */
#endif
    };
    size_t i;

    if (s->pci.romfile) {
        return true;
    }
    found = qemu_find_file(QEMU_FILE_TYPE_BIOS, AEROGPU_ROMFILE);
    if (found) {
        return true;
    }
    dir = aerogpu_module_dir();
    for (i = 0; dir && i < ARRAY_SIZE(places); i++) {
        g_autofree char *path =
            g_build_filename(dir, places[i], AEROGPU_ROMFILE, NULL);

        if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
            s->pci.romfile = g_steal_pointer(&path);
            return true;
        }
    }
    error_setg(errp, "aerogpu: video BIOS %s not found", AEROGPU_ROMFILE);
    error_append_hint(errp, "Build it with scripts/build-vgabios, name its "
                            "folder with -L, or use romfile= for none.\n");
    return false;
}

/*
 * True if another card decodes VGA's ports. They and VGA's memory belong to the
 * boot display, the first VGA card on the bus; a second card must leave them.
 */
static bool aerogpu_vga_is_taken(PCIDevice *dev)
{
    MemoryRegion *space = pci_address_space_io(dev);
    MemoryRegionSection section = memory_region_find(space, VGA_PORT, 1);
    bool taken = section.mr && section.mr != space;

    if (section.mr) {
        memory_region_unref(section.mr);
    }
    return taken;
}

static bool aerogpu_init_vga(AeroGPUState *s, PCIDevice *dev, Error **errp)
{
    VGACommonState *vga = &s->vga;

    if (vga->vram_size_mb < 16 || vga->vram_size_mb > 512 ||
        !is_power_of_2(vga->vram_size_mb)) {
        error_setg(errp,
                   "aerogpu: vgamem_mb=%u: must be a power of two from "
                   "16 to 512",
                   vga->vram_size_mb);
        return false;
    }
    if (!vga_common_init(vga, OBJECT(dev), errp)) {
        return false;
    }
    if (aerogpu_vga_is_taken(dev)) {
        warn_report("aerogpu: another VGA card has VGA's ports and memory: "
                    "this one shows nothing until a driver enables it");
    } else {
        vga_init(vga, OBJECT(dev), pci_address_space(dev),
                 pci_address_space_io(dev), true);
    }
    vga->con = s->con =
        graphic_console_init(DEVICE(dev), 0, &aerogpu_console_ops, s);
    return true;
}

static void aerogpu_realize(PCIDevice *dev, Error **errp)
{
    AeroGPUState *s = AEROGPU(dev);

    if (!aerogpu_check_qemu(errp) || !aerogpu_edid_init(s, errp) ||
        !aerogpu_promise_init(s, errp) || !aerogpu_find_rom(s, errp)) {
        return;
    }
    /*
     * The renderer comes first: it is the part that fails on a host that lacks
     * something, and VGA's registrations cannot be taken back.
     */
    if (!aerogpu_move_init(s, errp) || !aerogpu_failure_init(s, errp)) {
        return;
    }
    aerogpu_log_init(s);
    aerogpu_guestmem_init(s);
    aerogpu_ring_memory_init(s);
    aerogpu_fence_init(s);
    aerogpu_vblank_init(s);
    aerogpu_completions_init(s);
    aerogpu_keep_init(s);
    if (!aerogpu_irq_init(s, errp)) {
        goto fail_irq;
    }
    aerogpu_console_init(s);
    aerogpu_cursor_init(s);
    if (!aerogpu_render_init(s, errp)) {
        goto fail;
    }
    aerogpu_regs_init(s);

    dev->config[PCI_INTERRUPT_PIN] = 1;
    if (msi_init(dev, 0, 1, true, false, errp) < 0) {
        goto fail_render;
    }
    if (!aerogpu_init_vga(s, dev, errp)) {
        msi_uninit(dev);
        goto fail_render;
    }
    aerogpu_guard_init(s);
    aerogpu_live_init(s);
    memory_region_init_io(&s->mmio, OBJECT(s), &aerogpu_mmio_ops, s,
                          "aerogpu-mmio", AEROGPU_PCI_BAR0_SIZE_BYTES);
    memory_region_add_eventfd(&s->mmio, AEROGPU_MMIO_REG_DOORBELL, 4, false, 0,
                              &s->render.doorbell);
    pci_register_bar(dev, AEROGPU_PCI_BAR0_INDEX, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &s->mmio);
    pci_register_bar(dev, AEROGPU_PCI_BAR1_INDEX, PCI_BASE_ADDRESS_MEM_PREFETCH,
                     &s->vga.vram);
    aerogpu_guestmem_listen(s);
    return;

fail_render:
    aerogpu_render_exit(s);
fail:
    aerogpu_cursor_exit(s);
    aerogpu_console_exit(s);
    aerogpu_irq_exit(s);
fail_irq:
    aerogpu_keep_exit(s);
    aerogpu_completions_exit(s);
    aerogpu_vblank_exit(s);
    aerogpu_fence_exit(s);
    aerogpu_ring_memory_exit(s);
}

static void aerogpu_exit(PCIDevice *dev)
{
    AeroGPUState *s = AEROGPU(dev);

    memory_region_del_eventfd(&s->mmio, AEROGPU_MMIO_REG_DOORBELL, 4, false, 0,
                              &s->render.doorbell);
    aerogpu_render_exit(s);
    aerogpu_keep_exit(s);
    aerogpu_completions_exit(s);
    aerogpu_fence_exit(s);
    aerogpu_ring_memory_exit(s);
    aerogpu_guestmem_exit(s);
    aerogpu_live_exit(s);
    aerogpu_guard_exit(s);
    aerogpu_carry_exit(s);
    aerogpu_failure_exit(s);
    aerogpu_promise_exit(s);
    aerogpu_pack_end(&s->pack);
    graphic_console_close(s->con);
    aerogpu_cursor_exit(s);
    aerogpu_console_exit(s);
    aerogpu_irq_exit(s);
    aerogpu_vblank_exit(s);
    msi_uninit(dev);
}

static void aerogpu_reset(DeviceState *dev)
{
    aerogpu_device_reset(AEROGPU(dev));
}

static void aerogpu_write_config(PCIDevice *dev, uint32_t addr, uint32_t val,
                                 int len)
{
    pci_default_write_config(dev, addr, val, len);
    if (ranges_overlap(addr, len, dev->msi_cap, PCI_MSI_DATA_64 + 4) ||
        ranges_overlap(addr, len, PCI_COMMAND, 2)) {
        aerogpu_irq_config_changed(AEROGPU(dev));
    }
}

/*
 * libvirt has no model for this device: a domain asks for a VGA card, and the
 * command that starts QEMU replaces that card with an aerogpu. Before the
 * guest runs, libvirt looks in the QOM tree for a link to a VGA and reads its
 * memory size, vgamem_mb; it gives up if it finds none (its
 * qemuMonitorUpdateVideoMemorySize).
 */
static void aerogpu_be_found_by_libvirt(AeroGPUState *s)
{
    s->self = OBJECT(s);
    object_property_add_link(OBJECT(s), "vga", "VGA", &s->self, NULL, 0);
    object_property_set_description(
        OBJECT(s), "vga", "this device, where libvirt looks for a VGA card");
}

static void aerogpu_instance_init(Object *obj)
{
    AeroGPUState *s = AEROGPU(obj);

    qemu_mutex_init(&s->lock);
    qemu_cond_init(&s->requests.acked);
    aerogpu_history_init(s);
    aerogpu_be_found_by_libvirt(s);
}

static void aerogpu_instance_finalize(Object *obj)
{
    AeroGPUState *s = AEROGPU(obj);

    aerogpu_log_finalize(s);
    aerogpu_history_finalize(s);
    qemu_cond_destroy(&s->requests.acked);
    qemu_mutex_destroy(&s->lock);
}

static AEROGPU_PROPERTY aerogpu_properties[] = {
    DEFINE_PROP_STRING("renderer", AeroGPUState, config.renderer),
    DEFINE_PROP("vulkan-device", AeroGPUState, config.vulkan_device,
                aerogpu_gpu_property_info, char *),
    DEFINE_PROP_STRING("capture", AeroGPUState, config.capture),
    DEFINE_PROP_STRING("failure_capture", AeroGPUState, config.recent_trace),
    DEFINE_PROP_SIZE("failure_capture_mem", AeroGPUState, config.recent_bytes,
                     16 * MiB),
    DEFINE_PROP_SIZE("max_hostmem", AeroGPUState, config.max_hostmem, 1 * GiB),
    DEFINE_PROP_SIZE("max_space_hostmem", AeroGPUState,
                     config.max_space_hostmem, 0),
    DEFINE_PROP_UINT32("max_batch_ms", AeroGPUState, config.max_batch_ms, 2000),
    DEFINE_PROP_ON_OFF_AUTO("process", AeroGPUState, config.process,
                            ON_OFF_AUTO_AUTO),
    DEFINE_PROP_UINT32("process_deaths", AeroGPUState, config.process_deaths,
                       3),
    DEFINE_PROP_STRING("caps", AeroGPUState, config.caps),
    DEFINE_PROP_STRING("on_load_failure", AeroGPUState, config.on_load_failure),
    DEFINE_PROP_STRING("accept", AeroGPUState, promise.accept),
    DEFINE_PROP_ON_OFF_AUTO("compress_state", AeroGPUState, pack.mode,
                            ON_OFF_AUTO_AUTO),
    DEFINE_PROP_UINT32("vgamem_mb", AeroGPUState, vga.vram_size_mb,
                       AEROGPU_PCI_BAR1_SIZE_BYTES / MiB),
    DEFINE_PROP_UINT32("xres", AeroGPUState, edid.info.prefx, 1280),
    DEFINE_PROP_UINT32("yres", AeroGPUState, edid.info.prefy, 800),
    DEFINE_PROP_UINT32("refresh_rate", AeroGPUState, edid.refresh_rate, 60),
    DEFINE_PROP_STRING("x-move", AeroGPUState, config.move),
    DEFINE_PROP_BOOL("escapes", AeroGPUState, escapes, true),
    DEFINE_PROP_BOOL("handle_spaces", AeroGPUState, handle_spaces, true),
    AEROGPU_PROPERTY_END
};

/* Texts for -device aerogpu,help; README.md lists the same properties. */
static const struct {
    const char *name;
    const char *text;
} aerogpu_property_texts[] = {
    { "vulkan-device",
      "GPU: index, part of its name, or help (default: the best); set while "
      "the machine runs, it moves there" },
    { "capture", "file that everything submitted is written to" },
    { "failure_capture",
      "file that the newest submissions are written to when one fails" },
    { "failure_capture_mem", "bytes of memory that keep them until then" },
    { "max_hostmem",
      "bytes of host memory that a guest can make the renderer hold; "
      "copies of the screen may take a quarter more" },
    { "max_space_hostmem",
      "bytes of max_hostmem that one guest process can take; 0: half" },
    { "max_batch_ms",
      "how long a program's shaders may loop while another's work waits" },
    { "process",
      "on: the renderer runs in a process of its own, whose death is a lost "
      "GPU; auto: if the guest's RAM is sealed shared memory (default: auto)" },
    { "process_deaths",
      "how often that process may die in a minute before the GPU is gone; 0: "
      "as often as it does" },
    { "caps",
      "what the guest is told of the GPU: host (all), or base-1, a set that "
      "never changes, for machines that move between hosts; base: the newest "
      "such set (default: host)" },
    { "on_load_failure",
      "what becomes of a saved machine whose GPU this host cannot take: refuse "
      "it, or load it with its GPU lost, which its driver brings back "
      "(default: refuse)" },
    { "accept",
      "machines from other hosts that go here: those whose guest was told of "
      "nothing that this host lacks (announced), or that use nothing of it "
      "(used); default: announced" },
    { "compress_state",
      "on or off: contents in saved states are compressed; auto: in "
      "migrations, while the link is slower than compressing" },
    { "vgamem_mb", "size of BAR1 in MiB: a power of two from 16 to 512" },
    { "xres", "preferred width in the EDID, 64 to 16384" },
    { "yres", "preferred height in the EDID, 64 to 16384" },
    { "refresh_rate", "vblanks a second: 10 to 500, or in mHz from 10000" },
    { "escapes", "off: the guest's driver refuses escapes for debugging" },
    { "x-move", "for tests, objects:N: makes all objects anew after each N-th "
                "submission; device:N: the renderer too" },
    { "handle_spaces", "off: the guest's driver keeps programs apart itself" },
};

static void aerogpu_class_init(ObjectClass *klass, AEROGPU_CLASS_DATA *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);
    g_autofree char *backends = aerogpu_embedder_backends();
    size_t i;

    k->realize = aerogpu_realize;
    k->exit = aerogpu_exit;
    k->config_write = aerogpu_write_config;
    k->romfile = AEROGPU_ROMFILE;
    k->vendor_id = AEROGPU_PCI_VENDOR_ID;
    k->device_id = AEROGPU_PCI_DEVICE_ID;
    k->subsystem_vendor_id = AEROGPU_PCI_SUBSYSTEM_VENDOR_ID;
    k->subsystem_id = AEROGPU_PCI_SUBSYSTEM_ID;
    k->class_id = PCI_CLASS_DISPLAY_VGA;
    dc->desc = "AeroGPU display controller";
    dc->vmsd = &aerogpu_vmstate;
    dc->hotpluggable = false;
    aerogpu_compat_set_reset(dc, aerogpu_reset);
    aerogpu_gpu_property_init();
    device_class_set_props(dc, aerogpu_properties);
    for (i = 0; i < ARRAY_SIZE(aerogpu_property_texts); i++) {
        object_class_property_set_description(klass,
                                              aerogpu_property_texts[i].name,
                                              aerogpu_property_texts[i].text);
    }
    object_class_property_set_description(klass, "renderer", backends);
    set_bit(DEVICE_CATEGORY_DISPLAY, dc->categories);
    aerogpu_stats_class_init(klass);
    aerogpu_spaces_class_init(klass);
    aerogpu_status_class_init(klass);
    aerogpu_restart_property_init(klass);
}

static const TypeInfo aerogpu_info = {
    .name = TYPE_AEROGPU,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(AeroGPUState),
    .instance_init = aerogpu_instance_init,
    .instance_finalize = aerogpu_instance_finalize,
    .class_init = aerogpu_class_init,
    .interfaces =
        (AEROGPU_INTERFACES[]){
            { INTERFACE_CONVENTIONAL_PCI_DEVICE },
            {},
        },
};

static void aerogpu_register_types(void)
{
    type_register_static(&aerogpu_info);
}

type_init(aerogpu_register_types)
