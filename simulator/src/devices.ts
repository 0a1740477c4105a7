import type { IsolatedDevice } from '@muster/contract'
import { hex16, pick, roll, uuid } from './random-hash.ts'

interface Model {
  readonly dev_type: string
  readonly model: string
  readonly vendor_device_id: string
}

const gpus: readonly Model[] = [
  { dev_type: 'GPU', model: 'Tesla V100-PCIE-32GB', vendor_device_id: '10de:1db6' },
  { dev_type: 'GPU', model: 'Tesla T4', vendor_device_id: '10de:1eb8' },
  { dev_type: 'GPU', model: 'A100-PCIE-40GB', vendor_device_id: '10de:20f1' },
  { dev_type: 'GPU', model: 'GeForce RTX 3090', vendor_device_id: '10de:2204' },
]
const others: readonly Model[] = [
  { dev_type: 'NVME-PT', model: 'SAMSUNG PM1733 3.84TB', vendor_device_id: '144d:a824' },
  { dev_type: 'NIC', model: 'ConnectX-5 Virtual Function', vendor_device_id: '15b3:1018' },
]

interface Circumstances {
  readonly dice: number
  readonly server: string
  readonly host: string
  readonly createdAt: string
  readonly isGpu: boolean
}

/** A passed-through device: a GPU or another device. */
export function devicesOf(circumstances: Circumstances): IsolatedDevice[] {
  const { dice, server, host, createdAt, isGpu } = circumstances
  const model = pick(dice, 90, isGpu ? gpus : others)
  const count = isGpu && roll(dice, 91) % 5 === 0 ? 2 : 1
  return Array.from({ length: count }, (_, number) => ({
    id: uuid(dice, 92 + number),
    name: `${model.dev_type.toLowerCase()}-${number}`,
    description: '',
    ...model,
    addr: `${hex16(roll(dice, 94 + number)).slice(2)}:00.${number}`,
    guest_id: server,
    host_id: host,
    reserved_cpu: 2,
    reserved_memory: 4_096,
    reserved_storage: 102_400,
    created_at: createdAt,
    updated_at: createdAt,
    deleted_at: null,
    deleted: false,
    is_emulated: true,
    update_version: 0,
  }))
}
