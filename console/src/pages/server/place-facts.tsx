import type { Server } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import { FactGroup } from './fact-group.tsx'
import { ServerFact } from './server-fact.tsx'

export function PlaceFacts({ server }: { readonly server: Server }) {
  const { server: t, common } = useMessages()
  return (
    <FactGroup title={t.place}>
      <ServerFact label={t.provider} value={server.provider} filter="provider" />
      {server.brand !== server.provider && (
        <ServerFact label={t.brand} value={server.brand} filter="brand" />
      )}
      <ServerFact
        label={t.environment}
        value={server.cloud_env}
        absent="unknown"
        filter="cloud_env"
      />
      <ServerFact label={t.account} value={server.account} filter="account" />
      {server.manager !== server.account && (
        <ServerFact label={t.manager} value={server.manager} filter="manager" />
      )}
      <ServerFact label={t.region} value={server.region} absent="unknown" filter="region" />
      <ServerFact label={t.zone} value={server.zone} absent="unknown" filter="zone" />
      <ServerFact
        label={t.hypervisor}
        value={server.hypervisor}
        absent="unknown"
        filter="hypervisor"
      />
      <ServerFact label={t.host} value={server.host} absent="unknown" filter="host" />
      {server.host_sn !== '' && <ServerFact label={t.hostSerial} value={server.host_sn} copies />}
      {server.host_status !== '' && (
        <ServerFact label={t.hostStatus} value={server.host_status} filter="host_status" />
      )}
      <ServerFact
        label={t.sourceAnswers}
        value={server.host_service_status}
        absent="unknown"
        shown={t.answering[server.host_service_status]}
        filter="host_service_status"
      />
      {server.backup_host_name !== '' && (
        <ServerFact
          label={t.backupHost}
          value={server.backup_host_name}
          filter="backup_host_name"
        />
      )}
      {server.is_emulated && (
        <ServerFact label={t.emulated} value="true" shown={common.yes} filter="is_emulated" />
      )}
    </FactGroup>
  )
}
