import type { Server } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { MissingValue } from './missing-value.tsx'
import styles from './server.module.css'

type Device = Server['isolated_devices'][number]

export function DevicesTab({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const { number, size } = useFormat()
  const { isolated_devices: devices } = server
  if (devices.length === 0) return <EmptyState title={t.noDevices}>{t.noDevicesText}</EmptyState>
  const copied = (value: string) =>
    value === '' ? <MissingValue is="unknown" /> : <Copyable value={value} />
  const reserved = ({
    reserved_cpu: cpu,
    reserved_memory: memory,
    reserved_storage: disk,
  }: Device) =>
    cpu + memory + disk === 0 ? (
      <MissingValue is="none" />
    ) : (
      t.reservedOf(number(cpu), size(memory), size(disk))
    )
  const columns: readonly Column<Device>[] = [
    {
      key: 'model',
      title: t.model,
      cell: ({ model, name }) =>
        model || name ? <bdi>{model || name}</bdi> : <MissingValue is="unknown" />,
    },
    { key: 'type', title: t.deviceType, cell: ({ dev_type: type }) => <bdi>{type}</bdi> },
    { key: 'address', title: t.address, cell: ({ addr }) => copied(addr) },
    { key: 'vendor', title: t.vendorDevice, cell: ({ vendor_device_id: id }) => copied(id) },
    { key: 'reserved', title: t.reserved, cell: reserved },
    { key: 'id', title: t.id, cell: ({ id }) => copied(id) },
  ]
  return (
    <div className={styles.lines}>
      <Table
        caption={t.tabs.devices}
        columns={columns}
        rows={devices}
        rowKey={({ id, addr }) => id || addr}
      />
    </div>
  )
}
