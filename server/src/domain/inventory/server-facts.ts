import type { CallerField, Server } from '@muster/contract'

/** What is not the source's to say: Muster derives it, keeps it, or asks identity for it. */
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

/** A server as a source knows it. What a source has no notion of, it leaves out. */
export type ServerFacts = Partial<Omit<Known, Needed>> &
  Pick<Known, Needed> & {
    /** The group that the operator forces upon it. */
    readonly adminGroup?: { readonly id: string; readonly rules: string }
    /** The source's own tags, without a prefix. */
    readonly tags?: Readonly<Record<string, string>>
    /** What Muster notes about it, without a prefix. */
    readonly notes?: Readonly<Record<string, string>>
  }
