import type { CallerField, Server } from '@muster/contract'

/** Fields that a source does not report: Muster derives or stores them, or reads them from identity. */
type Derived =
  | CallerField
  | 'cloudregion'
  | 'deleted'
  | 'deleted_at'
  | 'disk'
  | 'disk_count'
  | 'disks'
  | 'domain_id'
  | 'ips'
  | 'manager_domain'
  | 'manager_domain_id'
  | 'manager_project'
  | 'metadata'
  | 'project'
  | 'project_domain'
  | 'region_external_id'
  | 'region_id'
  | 'secgroup'
  | 'secgrp_id'
  | 'tenant'
  | 'tenant_id'
  | 'update_version'

type Known = Omit<Server, Derived>
type Needed = 'id' | 'name' | 'status' | 'project_id' | 'provider' | 'account_id'

/** A server as a source reports it. Fields that the source does not have are absent. */
export type ServerFacts = Partial<Omit<Known, Needed>> &
  Pick<Known, Needed> & {
    /** The security group that the operator enforces. */
    readonly adminGroup?: { readonly id: string; readonly rules: string }
    /** The source's own tags, without a prefix. */
    readonly tags?: Readonly<Record<string, string>>
    /** Muster's own metadata (`sys:`), without the prefix. */
    readonly notes?: Readonly<Record<string, string>>
    /** Fields that could not be read. A server that is stored keeps its values; of the notes, `lost_on_stop`. */
    readonly unread?: readonly (keyof Known | 'notes')[]
  }
