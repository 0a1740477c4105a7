import type { Server } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import { PropertyGroup } from './property-group.tsx'
import { ServerProperty } from './server-property.tsx'

export function SystemProperties({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const [systemDisk] = server.disks_info
  const { image = '', image_id: imageId = '' } = systemDisk ?? {}
  const graphics = [server.vga, server.vdi].filter(Boolean).join(' · ')
  return (
    <PropertyGroup title={t.system}>
      <ServerProperty
        label={t.os}
        value={server.os_name || server.os_type}
        absent="unknown"
        filter={server.os_name === '' ? 'os' : 'os_name'}
      />
      <ServerProperty
        label={t.image}
        value={imageId || image}
        absent="unknown"
        shown={<bdi>{image || imageId}</bdi>}
        copies
      />
      <ServerProperty label={t.firmware} value={server.bios} absent="unknown" filter="bios" />
      <ServerProperty label={t.machine} value={server.machine} absent="unknown" filter="machine" />
      <ServerProperty label={t.bootOrder} value={server.boot_order} absent="unknown" />
      {graphics !== '' && <ServerProperty label={t.graphics} value={graphics} />}
      {server.cdrom_support && <ServerProperty label={t.cdrom} value={server.cdrom} />}
      <ServerProperty label={t.keypair} value={server.keypair} filter="keypair" />
      {server.shutdown_behavior !== '' && (
        <ServerProperty
          label={t.shutdown}
          value={server.shutdown_behavior}
          filter="shutdown_behavior"
        />
      )}
    </PropertyGroup>
  )
}
