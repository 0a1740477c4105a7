import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import type { IsolatedDevice } from '@muster/contract'
import { derivedId } from '../../domain/sources/derived-id.ts'

interface Device {
  readonly Name?: string | undefined
  readonly Manufacturer?: string | undefined
  readonly Count?: number | undefined
}

/** GPUs and other accelerators of an instance type. */
export function devicesOf(
  type: InstanceTypeInfo | undefined,
  server: { readonly id: string; readonly createdAt: string | undefined; readonly hostId: string },
): IsolatedDevice[] {
  const gpus = type?.GpuInfo?.Gpus ?? []
  const others = [
    ...(type?.FpgaInfo?.Fpgas ?? []),
    ...(type?.InferenceAcceleratorInfo?.Accelerators ?? []),
    ...(type?.NeuronInfo?.NeuronDevices ?? []),
  ]
  const unfold = (devices: readonly Device[], dev_type: string) =>
    devices
      .flatMap(({ Name = '', Manufacturer = '', Count = 0 }) =>
        Array.from({ length: Count }, () => `${Manufacturer} ${Name}`.trim()),
      )
      .map((model, number) => ({ dev_type, model, name: `${dev_type.toLowerCase()}-${number}` }))
  const created_at = server.createdAt ?? null
  return [...unfold(gpus, 'GPU'), ...unfold(others, 'PCI')].map((device) => ({
    ...device,
    id: derivedId('device', server.id, device.name),
    addr: '',
    vendor_device_id: '',
    description: '',
    guest_id: server.id,
    host_id: server.hostId,
    reserved_cpu: 0,
    reserved_memory: 0,
    reserved_storage: 0,
    created_at,
    updated_at: created_at,
    deleted_at: null,
    deleted: false,
    is_emulated: false,
    update_version: 0,
  }))
}
