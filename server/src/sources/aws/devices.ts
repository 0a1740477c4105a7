import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import type { ReportedDevice } from '../../domain/sources/reported-parts.ts'

interface Device {
  readonly Name?: string | undefined
  readonly Manufacturer?: string | undefined
  readonly Count?: number | undefined
}

/** GPUs and other accelerators of an instance type. */
export function devicesOf(type: InstanceTypeInfo | undefined): ReportedDevice[] {
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
  return [...unfold(gpus, 'GPU'), ...unfold(others, 'PCI')]
}
