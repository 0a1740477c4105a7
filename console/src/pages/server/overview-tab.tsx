import type { Server } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Property } from '../../ui/property-list.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { Addresses } from './addresses.tsx'
import { PropertyGroup } from './property-group.tsx'
import { Flash } from './flash.tsx'
import { LastKnownNote } from './last-known-note.tsx'
import { LocationProperties } from './location-properties.tsx'
import { TimeProperty, ServerProperty } from './server-property.tsx'
import styles from './server.module.css'
import { SystemProperties } from './system-properties.tsx'

interface Props {
  readonly server: Server
}

export function OverviewTab({ server }: Props) {
  return (
    <div className={styles.groups}>
      <IdentityProperties server={server} />
      <SizeProperties server={server} />
      <AddressProperties server={server} />
      <TimeProperties server={server} />
      <LocationProperties server={server} />
      <SystemProperties server={server} />
      <BillingProperties server={server} />
    </div>
  )
}

function IdentityProperties({ server }: Props) {
  const { server: t } = useMessages()
  const names = useValueNames()
  const sourceStatus = server.metadata['sys:source_status'] ?? ''
  return (
    <PropertyGroup title={t.identity}>
      <ServerProperty label={t.name} value={server.name} copies />
      <ServerProperty label={t.id} value={server.id} copies />
      <ServerProperty label={t.externalId} value={server.external_id} absent="unknown" copies />
      <ServerProperty label={t.description} value={server.description} />
      <ServerProperty
        label={t.status}
        value={server.status}
        shown={names.fullName('status', server.status)}
        filter="status"
      />
      {sourceStatus !== '' && <ServerProperty label={t.sourceStatus} value={sourceStatus} />}
      <ServerProperty label={t.project} value={server.project} filter="project" />
      <ServerProperty label={t.domain} value={server.project_domain} filter="domain" />
      <ServerProperty
        label={t.assigned}
        value={server.project_src}
        absent="unknown"
        shown={t.assignedBy[server.project_src]}
        filter="project_src"
      />
      {server.scaling_group_id !== '' && (
        <ServerProperty
          label={t.scalingGroup}
          value={server.scaling_group_id}
          filter="scaling_group_id"
        />
      )}
    </PropertyGroup>
  )
}

function SizeProperties({ server }: Props) {
  const { server: t, common } = useMessages()
  const { number, size } = useFormat()
  const count = (value: number) => (value === 0 ? '' : String(value))
  return (
    <PropertyGroup title={t.size}>
      <ServerProperty
        label={t.vcpu}
        value={count(server.vcpu_count)}
        absent="unknown"
        shown={number(server.vcpu_count)}
        filter="vcpu"
      />
      <ServerProperty
        label={t.memory}
        value={count(server.vmem_size)}
        absent="unknown"
        shown={size(server.vmem_size)}
        filter="memory"
      />
      <ServerProperty
        label={t.disk}
        value={count(server.disk)}
        shown={t.diskSum(size(server.disk), server.disk_count)}
      />
      <ServerProperty label={t.instanceType} value={server.instance_type} filter="type" />
      {server.flavor_id !== '' && (
        <ServerProperty label={t.flavor} value={server.flavor_id} copies />
      )}
      <ServerProperty
        label={t.gpu}
        value={String(server.is_gpu)}
        shown={server.is_gpu ? common.yes : common.no}
        filter="gpu"
      />
    </PropertyGroup>
  )
}

function AddressProperties({ server }: Props) {
  const { server: t } = useMessages()
  return (
    <PropertyGroup title={t.addresses} note={<LastKnownNote server={server} />}>
      <Property label={t.privateAddresses}>
        <Flash of={server.ips}>
          <Addresses list={server.ips} />
        </Flash>
      </Property>
      <Property label={t.publicAddress}>
        <Flash of={server.eip}>
          <Addresses list={server.eip} />
        </Flash>
      </Property>
      {server.virtual_ips !== '' && (
        <Property label={t.sharedAddresses}>
          <Addresses list={server.virtual_ips} />
        </Property>
      )}
      <ServerProperty label={t.vpc} value={server.vpc} filter="vpc" />
    </PropertyGroup>
  )
}

function TimeProperties({ server }: Props) {
  const { server: t } = useMessages()
  const { number } = useFormat()
  return (
    <PropertyGroup title={t.times}>
      <TimeProperty label={t.created} time={server.created_at}>
        <TimeAgo time={server.created_at} />
      </TimeProperty>
      <TimeProperty label={t.updated} time={server.updated_at}>
        <TimeAgo time={server.updated_at} />
      </TimeProperty>
      <TimeProperty label={t.attached} time={server.attach_time}>
        <TimeAgo time={server.attach_time} />
      </TimeProperty>
      <ServerProperty
        label={t.changes}
        value={String(server.update_version)}
        shown={number(server.update_version)}
      />
    </PropertyGroup>
  )
}

function BillingProperties({ server }: Props) {
  const { server: t, common } = useMessages()
  const yesOrNo = (value: boolean) => (value ? common.yes : common.no)
  return (
    <PropertyGroup title={t.billing}>
      <ServerProperty label={t.billingType} value={server.billing_type} filter="billing_type" />
      {server.billing_cycle !== '' && (
        <ServerProperty label={t.billingCycle} value={server.billing_cycle} />
      )}
      <TimeProperty label={t.expires} time={server.expired_at}>
        <TimeAgo time={server.expired_at} />
      </TimeProperty>
      {server.billing_type === 'prepaid' && (
        <ServerProperty
          label={t.autoRenew}
          value={String(server.auto_renew)}
          shown={yesOrNo(server.auto_renew)}
        />
      )}
      <ServerProperty
        label={t.deleteProtection}
        value={String(server.disable_delete)}
        shown={yesOrNo(server.disable_delete)}
        filter="disable_delete"
      />
      {!server.can_delete && (
        <ServerProperty label={t.canDelete} value={server.delete_fail_reason} />
      )}
    </PropertyGroup>
  )
}
