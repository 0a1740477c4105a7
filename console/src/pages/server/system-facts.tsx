import type { Server } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import { FactGroup } from './fact-group.tsx'
import { ServerFact } from './server-fact.tsx'

export function SystemFacts({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const [systemDisk] = server.disks_info
  const { image = '', image_id: imageId = '' } = systemDisk ?? {}
  const graphics = [server.vga, server.vdi].filter(Boolean).join(' · ')
  return (
    <FactGroup title={t.system}>
      <ServerFact
        label={t.os}
        value={server.os_type}
        absent="unknown"
        shown={server.os_name || server.os_type}
        filter="os"
      />
      <ServerFact
        label={t.image}
        value={imageId || image}
        absent="unknown"
        shown={<bdi>{image || imageId}</bdi>}
        copies
      />
      <ServerFact label={t.firmware} value={server.bios} absent="unknown" filter="bios" />
      <ServerFact label={t.machine} value={server.machine} absent="unknown" filter="machine" />
      <ServerFact label={t.bootOrder} value={server.boot_order} absent="unknown" />
      {graphics !== '' && <ServerFact label={t.graphics} value={graphics} />}
      {server.cdrom_support && <ServerFact label={t.cdrom} value={server.cdrom} />}
      <ServerFact label={t.keypair} value={server.keypair} filter="keypair" />
      {server.shutdown_behavior !== '' && (
        <ServerFact
          label={t.shutdown}
          value={server.shutdown_behavior}
          filter="shutdown_behavior"
        />
      )}
    </FactGroup>
  )
}
