import type { Server } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Fact } from '../../ui/facts.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { Addresses } from './addresses.tsx'
import { FactGroup } from './fact-group.tsx'
import { Flash } from './flash.tsx'
import { LastKnownNote } from './last-known-note.tsx'
import { PlaceFacts } from './place-facts.tsx'
import { MomentFact, ServerFact } from './server-fact.tsx'
import styles from './server.module.css'
import { SystemFacts } from './system-facts.tsx'

interface Props {
  readonly server: Server
}

export function OverviewTab({ server }: Props) {
  return (
    <div className={styles.groups}>
      <IdentityFacts server={server} />
      <SizeFacts server={server} />
      <AddressFacts server={server} />
      <TimeFacts server={server} />
      <PlaceFacts server={server} />
      <SystemFacts server={server} />
      <BillingFacts server={server} />
    </div>
  )
}

function IdentityFacts({ server }: Props) {
  const { server: t } = useMessages()
  const sourceStatus = server.metadata['sys:source_status'] ?? ''
  return (
    <FactGroup title={t.identity}>
      <ServerFact label={t.name} value={server.name} copies />
      <ServerFact label={t.id} value={server.id} copies />
      <ServerFact label={t.externalId} value={server.external_id} absent="unknown" copies />
      <ServerFact label={t.description} value={server.description} />
      <ServerFact label={t.status} value={server.status} filter="status" />
      {sourceStatus !== '' && <ServerFact label={t.sourceStatus} value={sourceStatus} />}
      <ServerFact label={t.project} value={server.project} filter="project" />
      <ServerFact label={t.domain} value={server.project_domain} filter="domain" />
      <ServerFact
        label={t.assigned}
        value={server.project_src}
        absent="unknown"
        shown={t.assignedBy[server.project_src]}
        filter="project_src"
      />
      {server.scaling_group_id !== '' && (
        <ServerFact
          label={t.scalingGroup}
          value={server.scaling_group_id}
          filter="scaling_group_id"
        />
      )}
    </FactGroup>
  )
}

function SizeFacts({ server }: Props) {
  const { server: t, common } = useMessages()
  const { number, size } = useFormat()
  const count = (value: number) => (value === 0 ? '' : String(value))
  return (
    <FactGroup title={t.size}>
      <ServerFact
        label={t.vcpu}
        value={count(server.vcpu_count)}
        absent="unknown"
        shown={number(server.vcpu_count)}
        filter="vcpu"
      />
      <ServerFact
        label={t.memory}
        value={count(server.vmem_size)}
        absent="unknown"
        shown={size(server.vmem_size)}
        filter="memory"
      />
      <ServerFact
        label={t.disk}
        value={count(server.disk)}
        shown={t.diskSum(size(server.disk), server.disk_count)}
      />
      <ServerFact label={t.instanceType} value={server.instance_type} filter="type" />
      {server.flavor_id !== '' && <ServerFact label={t.flavor} value={server.flavor_id} copies />}
      <ServerFact
        label={t.gpu}
        value={String(server.is_gpu)}
        shown={server.is_gpu ? common.yes : common.no}
        filter="gpu"
      />
    </FactGroup>
  )
}

function AddressFacts({ server }: Props) {
  const { server: t } = useMessages()
  return (
    <FactGroup title={t.addresses} note={<LastKnownNote server={server} />}>
      <Fact label={t.privateAddresses}>
        <Flash of={server.ips}>
          <Addresses list={server.ips} />
        </Flash>
      </Fact>
      <Fact label={t.publicAddress}>
        <Flash of={server.eip}>
          <Addresses list={server.eip} />
        </Flash>
      </Fact>
      {server.virtual_ips !== '' && (
        <Fact label={t.sharedAddresses}>
          <Addresses list={server.virtual_ips} />
        </Fact>
      )}
      <ServerFact label={t.vpc} value={server.vpc} filter="vpc" />
    </FactGroup>
  )
}

function TimeFacts({ server }: Props) {
  const { server: t } = useMessages()
  const { number } = useFormat()
  return (
    <FactGroup title={t.times}>
      <MomentFact label={t.created} time={server.created_at}>
        <TimeAgo time={server.created_at} />
      </MomentFact>
      <MomentFact label={t.updated} time={server.updated_at}>
        <TimeAgo time={server.updated_at} />
      </MomentFact>
      <MomentFact label={t.attached} time={server.attach_time}>
        <TimeAgo time={server.attach_time} />
      </MomentFact>
      <ServerFact
        label={t.changes}
        value={String(server.update_version)}
        shown={number(server.update_version)}
      />
    </FactGroup>
  )
}

function BillingFacts({ server }: Props) {
  const { server: t, common } = useMessages()
  const yesOrNo = (value: boolean) => (value ? common.yes : common.no)
  return (
    <FactGroup title={t.billing}>
      <ServerFact label={t.billingType} value={server.billing_type} filter="billing_type" />
      {server.billing_cycle !== '' && (
        <ServerFact label={t.billingCycle} value={server.billing_cycle} />
      )}
      <MomentFact label={t.expires} time={server.expired_at}>
        <TimeAgo time={server.expired_at} />
      </MomentFact>
      {server.billing_type === 'prepaid' && (
        <ServerFact
          label={t.autoRenew}
          value={String(server.auto_renew)}
          shown={yesOrNo(server.auto_renew)}
        />
      )}
      <ServerFact
        label={t.deleteProtection}
        value={String(server.disable_delete)}
        shown={yesOrNo(server.disable_delete)}
        filter="disable_delete"
      />
      {!server.can_delete && <ServerFact label={t.canDelete} value={server.delete_fail_reason} />}
    </FactGroup>
  )
}
