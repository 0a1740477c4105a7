import type { Server } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Amount } from '../../ui/amount.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { MissingValue } from './missing-value.tsx'
import styles from './server.module.css'

type Disk = Server['disks_info'][number]

export function DisksTab({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const { number, size } = useFormat()
  const { disks_info: disks } = server
  if (disks.length === 0) return <EmptyState title={t.noDisks}>{t.noDisksText}</EmptyState>
  const textOrUnknown = (value: string) =>
    value === '' ? <MissingValue is="unknown" /> : <bdi>{value}</bdi>
  const limited = (limit: number, shown: string) =>
    limit === 0 ? <span className={styles.none}>{t.noLimit}</span> : shown
  const columns: readonly Column<Disk>[] = [
    { key: 'index', title: t.diskNumber, number: true, cell: ({ index }) => index },
    {
      key: 'name',
      title: t.name,
      cell: ({ id, name }) => (
        <Copyable value={id || name}>
          <bdi>{name || id}</bdi>
        </Copyable>
      ),
    },
    {
      key: 'type',
      title: t.diskType,
      cell: ({ disk_type: type }) => textOrUnknown(t.diskTypes[type] ?? type),
    },
    {
      key: 'size',
      title: t.size,
      number: true,
      cell: (disk) => <Amount value={disk.size}>{size}</Amount>,
    },
    { key: 'format', title: t.format, cell: ({ disk_format: format }) => textOrUnknown(format) },
    { key: 'storage', title: t.storage, cell: ({ storage_type: type }) => textOrUnknown(type) },
    { key: 'medium', title: t.medium, cell: ({ medium_type: type }) => textOrUnknown(type) },
    { key: 'driver', title: t.driver, cell: ({ driver }) => textOrUnknown(driver) },
    {
      key: 'cache',
      title: t.cache,
      cell: ({ cache_mode: cache, aio_mode: aio }) =>
        textOrUnknown([cache, aio].filter(Boolean).join(' · ')),
    },
    { key: 'fs', title: t.fileSystem, cell: ({ fs }) => textOrUnknown(fs) },
    {
      key: 'image',
      title: t.image,
      cell: ({ image }) => (image === '' ? <MissingValue is="none" /> : textOrUnknown(image)),
    },
    { key: 'iops', title: t.iops, number: true, cell: ({ iops }) => limited(iops, number(iops)) },
    {
      key: 'bps',
      title: t.throughput,
      number: true,
      cell: ({ bps }) => limited(bps, t.megabytesASecond(number(Math.round(bps / 1_048_576)))),
    },
  ]
  return (
    <div className={styles.lines}>
      <Table
        caption={t.tabs.disks}
        columns={columns}
        rows={disks}
        rowKey={({ index }) => String(index)}
      />
    </div>
  )
}
