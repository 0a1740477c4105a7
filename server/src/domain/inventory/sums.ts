import type { Sum } from './ports.ts'

export const noServers: Sum = { count: 0, vcpu_count: 0, vmem_size: 0, disk: 0 }

export const plus = (a: Sum, b: Sum): Sum => ({
  count: a.count + b.count,
  vcpu_count: a.vcpu_count + b.vcpu_count,
  vmem_size: a.vmem_size + b.vmem_size,
  disk: a.disk + b.disk,
})
