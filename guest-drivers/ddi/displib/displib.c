/* SPDX-License-Identifier: MIT
 * displib.c: how a display miniport driver registers with the DirectX graphics kernel subsystem. Linked into the
 * driver, as Microsoft's displib.lib is. What is asked of dxgkrnl.sys follows the public description of the exchange
 * (ReactOS' displib agrees): load the service, find its device, ask it for the registration function, call that. */
#include <ntddk.h>

#include "dispmprt.h"

/* ntifs page "ZwLoadDriver"; PASSIVE_LEVEL. Not in mingw-w64's wdm.h. */
NTSYSAPI NTSTATUS NTAPI ZwLoadDriver(PUNICODE_STRING DriverServiceName);

/* CTL_CODE(FILE_DEVICE_VIDEO, 0x0F, METHOD_NEITHER, FILE_ANY_ACCESS), sent as an internal device control: no input,
 * output one pointer, the registration function for full WDDM drivers. */
#define IOCTL_VIDEO_DDI_FUNC_REGISTER 0x23003FUL

typedef NTSTATUS NTAPI DXGKRNL_REGISTER(PDRIVER_OBJECT, PUNICODE_STRING, PDRIVER_INITIALIZATION_DATA);

static NTSTATUS
QueryRegistrationFunction(PDEVICE_OBJECT device, DXGKRNL_REGISTER **function)
{
  KEVENT done;
  IO_STATUS_BLOCK status;
  KeInitializeEvent(&done, NotificationEvent, FALSE);
  PIRP irp = IoBuildDeviceIoControlRequest(IOCTL_VIDEO_DDI_FUNC_REGISTER, device, NULL, 0, function,
                                           sizeof *function, TRUE, &done, &status);
  if (!irp)
    return STATUS_INSUFFICIENT_RESOURCES;
  NTSTATUS result = IofCallDriver(device, irp);
  if (result == STATUS_PENDING) {
    /* The event and the status block are on this stack: nothing may return before they are done with. */
    KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, NULL);
    result = status.Status;
  }
  return result;
}

NTSTATUS NTAPI
DxgkInitialize(PDRIVER_OBJECT driver, PUNICODE_STRING registryPath, PDRIVER_INITIALIZATION_DATA data)
{
  UNICODE_STRING name;
  if (!driver || !registryPath || !data)
    return STATUS_INVALID_PARAMETER;

  RtlInitUnicodeString(&name, L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\DXGKrnl");
  NTSTATUS status = ZwLoadDriver(&name);
  if (!NT_SUCCESS(status) && status != STATUS_IMAGE_ALREADY_LOADED)
    return status;

  PFILE_OBJECT file;
  PDEVICE_OBJECT device;
  RtlInitUnicodeString(&name, L"\\Device\\DxgKrnl");
  status = IoGetDeviceObjectPointer(&name, FILE_ALL_ACCESS, &file, &device);
  if (!NT_SUCCESS(status))
    return status;

  DXGKRNL_REGISTER *registerMiniport = NULL;
  status = QueryRegistrationFunction(device, &registerMiniport);
  ObfDereferenceObject(file);
  if (!NT_SUCCESS(status))
    return status;
  if (!registerMiniport)
    return STATUS_UNSUCCESSFUL;
  return registerMiniport(driver, registryPath, data);
}
