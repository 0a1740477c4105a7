import type { Server } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import { PropertyGroup } from './property-group.tsx'
import { ServerProperty } from './server-property.tsx'

export function LocationProperties({ server }: { readonly server: Server }) {
  const { server: t, common } = useMessages()
  return (
    <PropertyGroup title={t.place}>
      <ServerProperty label={t.provider} value={server.provider} filter="provider" />
      {server.brand !== server.provider && (
        <ServerProperty label={t.brand} value={server.brand} filter="brand" />
      )}
      <ServerProperty
        label={t.environment}
        value={server.cloud_env}
        absent="unknown"
        filter="cloud_env"
      />
      <ServerProperty label={t.account} value={server.account} filter="account" />
      {server.manager !== server.account && (
        <ServerProperty label={t.manager} value={server.manager} filter="manager" />
      )}
      <ServerProperty label={t.region} value={server.region} absent="unknown" filter="region" />
      <ServerProperty label={t.zone} value={server.zone} absent="unknown" filter="zone" />
      <ServerProperty
        label={t.hypervisor}
        value={server.hypervisor}
        absent="unknown"
        filter="hypervisor"
      />
      <ServerProperty label={t.host} value={server.host} absent="unknown" filter="host" />
      {server.host_sn !== '' && (
        <ServerProperty label={t.hostSerial} value={server.host_sn} copies />
      )}
      {server.host_status !== '' && (
        <ServerProperty label={t.hostStatus} value={server.host_status} filter="host_status" />
      )}
      <ServerProperty
        label={t.sourceAnswers}
        value={server.host_service_status}
        absent="unknown"
        shown={t.answering[server.host_service_status]}
        filter="host_service_status"
      />
      {server.backup_host_name !== '' && (
        <ServerProperty
          label={t.backupHost}
          value={server.backup_host_name}
          filter="backup_host_name"
        />
      )}
      {server.is_emulated && (
        <ServerProperty label={t.emulated} value="true" shown={common.yes} filter="is_emulated" />
      )}
    </PropertyGroup>
  )
}
