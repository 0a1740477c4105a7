import type { Server } from '@muster/contract'
import type { ReactNode } from 'react'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { describeBootOrder, describeCycle } from '../../servers/describe-changes.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { PropertyList } from '../../ui/property-list.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { ServerProperty, TimeProperty } from './server-property.tsx'
import styles from './server.module.css'

interface Props {
  readonly server: Server
}

/** The properties that the header does not show. */
export function OverviewTab({ server }: Props) {
  return (
    <div className={styles.groups}>
      <IdentityProperties server={server} />
      <LocationProperties server={server} />
      <HardwareProperties server={server} />
      <SystemProperties server={server} />
      <BillingProperties server={server} />
      <TimeProperties server={server} />
    </div>
  )
}

function IdentityProperties({ server }: Props) {
  const { server: t } = useMessages()
  const sourceStatus = server.metadata['sys:source_status'] ?? ''
  return (
    <PropertyGroup title={t.identity}>
      <ServerProperty label={t.externalId} value={server.external_id} absent="unknown" copies />
      <ServerProperty label={t.description} value={server.description} />
      {sourceStatus !== '' && <ServerProperty label={t.sourceStatus} value={sourceStatus} />}
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

function HardwareProperties({ server }: Props) {
  const messages = useMessages()
  const { server: t, common } = messages
  const graphics = [server.vga, server.vdi].filter(Boolean).join(' · ')
  return (
    <PropertyGroup title={t.hardware}>
      <ServerProperty label={t.instanceType} value={server.instance_type} filter="type" />
      {server.flavor_id !== '' && (
        <ServerProperty
          label={t.flavor}
          value={server.flavor_id}
          page={{ kind: 'flavors', id: server.flavor_uuid }}
        />
      )}
      <ServerProperty
        label={t.gpu}
        value={String(server.is_gpu)}
        shown={server.is_gpu ? common.yes : common.no}
        filter="gpu"
      />
      <ServerProperty label={t.firmware} value={server.bios} absent="unknown" filter="bios" />
      <ServerProperty label={t.machine} value={server.machine} absent="unknown" filter="machine" />
      <ServerProperty
        label={t.bootOrder}
        value={server.boot_order}
        absent="unknown"
        shown={describeBootOrder(server.boot_order, messages)}
      />
      {graphics !== '' && <ServerProperty label={t.graphics} value={graphics} />}
      {server.cdrom_support && <ServerProperty label={t.cdrom} value={server.cdrom} />}
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
  const format = useFormat()
  const yesOrNo = (value: boolean) => (value ? common.yes : common.no)
  return (
    <PropertyGroup title={t.billing}>
      <ServerProperty
        label={t.billingType}
        value={server.billing_type}
        shown={t.words[server.billing_type]}
        filter="billing_type"
      />
      {server.billing_cycle !== '' && (
        <ServerProperty
          label={t.billingCycle}
          value={server.billing_cycle}
          shown={describeCycle(server.billing_cycle, format)}
        />
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
    </PropertyGroup>
  )
}

function SystemProperties({ server }: Props) {
  const { server: t } = useMessages()
  return (
    <PropertyGroup title={t.system}>
      <ServerProperty
        label={t.image}
        value={server.image_id}
        absent="unknown"
        shown={<bdi>{server.image || server.image_id}</bdi>}
        page={{ kind: 'images', id: server.image_id }}
      />
      <ServerProperty label={t.keypair} value={server.keypair} filter="keypair" />
      {server.shutdown_behavior !== '' && (
        <ServerProperty
          label={t.shutdown}
          value={server.shutdown_behavior}
          shown={t.words[server.shutdown_behavior]}
          filter="shutdown_behavior"
        />
      )}
    </PropertyGroup>
  )
}

function LocationProperties({ server }: Props) {
  const { server: t, common } = useMessages()
  const names = useValueNames()
  return (
    <PropertyGroup title={t.location}>
      {server.brand !== server.provider && (
        <ServerProperty label={t.brand} value={server.brand} filter="brand" />
      )}
      <ServerProperty
        label={t.environment}
        value={server.cloud_env}
        absent="unknown"
        shown={t.words[server.cloud_env]}
        filter="cloud_env"
      />
      {server.manager !== server.account && (
        <ServerProperty
          label={t.manager}
          value={server.manager}
          filter="manager"
          page={{ kind: 'cloudproviders', id: server.manager_id }}
        />
      )}
      <ServerProperty
        label={t.hypervisor}
        value={server.hypervisor}
        absent="unknown"
        filter="hypervisor"
      />
      <ServerProperty
        label={t.host}
        value={server.host}
        absent="unknown"
        filter="host"
        page={{ kind: 'hosts', id: server.host_id }}
      />
      {server.host_sn !== '' && (
        <ServerProperty label={t.hostSerial} value={server.host_sn} copies />
      )}
      {server.host_status !== '' && (
        <ServerProperty
          label={t.hostStatus}
          value={server.host_status}
          shown={names.name('status', server.host_status)}
          filter="host_status"
        />
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
      <ServerProperty label={t.vpc} value={server.vpc} filter="vpc" />
      {server.is_emulated && (
        <ServerProperty label={t.emulated} value="true" shown={common.yes} filter="is_emulated" />
      )}
    </PropertyGroup>
  )
}

interface PropertyGroupProps {
  readonly title: string
  readonly children: ReactNode
}

/** A group of properties. Groups use two columns if there is room. */
function PropertyGroup({ title, children }: PropertyGroupProps) {
  return (
    <section className={styles.group}>
      <h2>{title}</h2>
      <PropertyList>{children}</PropertyList>
    </section>
  )
}
