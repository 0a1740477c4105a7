import { isDeepStrictEqual } from 'node:util'
import type { Server } from '@muster/contract'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import {
  serverBooleans,
  serverNumbers,
  serverTexts,
  serverTimestamps,
} from './server-field-names.ts'

/** A project by the names that it and its domain have. */
export interface ModelProject {
  readonly id: string
  name: string
  readonly domainId: string
  readonly domain: string
}

type Tags = Readonly<Record<string, string>>

interface Kept {
  facts: ServerFacts
  own: Tags
  version: number
  updatedAt: string
  deletedAt: string | null
}

/** A timestamp in the format of the API. */
const wireTimestamp = (milliseconds: number) =>
  new Date(milliseconds).toISOString().replace('Z', '000Z')

const blanks = Object.fromEntries([
  ...serverBooleans.map((name) => [name, false]),
  ...serverTimestamps.map((name) => [name, null]),
  ...serverNumbers.map((name) => [name, 0]),
  ...serverTexts.map((name) => [name, '']),
]) as Partial<Server>

const prefixed = (prefix: string, tags: Tags = {}) =>
  Object.entries(tags).map(([key, value]) => [prefix + key, value] as const)

const joined = (texts: readonly string[]) => texts.filter((text) => text !== '').join(',')

/** What follows from a source's facts, by the tables of the specification and its fields. */
function derive({ adminGroup, tags, notes, ...facts }: ServerFacts, own: Tags): Server {
  const { nics = [], disks_info = [], isolated_devices = [], secgroups = [] } = facts
  const { provider, brand = '', region = '', cloudregion_id = '', region_ext_id = '' } = facts
  return {
    ...blanks,
    ...facts,
    nics,
    disks_info,
    isolated_devices,
    secgroups,
    region,
    cloudregion: region,
    cloudregion_id,
    region_id: cloudregion_id,
    region_external_id: region_ext_id === '' ? '' : `${provider}/${region_ext_id}`,
    brand: brand === '' ? provider : brand,
    admin_secgrp_id: adminGroup?.id ?? '',
    admin_security_rules: adminGroup?.rules ?? '',
    disk: disks_info.reduce((sum, { size }) => sum + size, 0),
    disk_count: disks_info.length,
    disks: disks_info
      .map((disk) => {
        const kinds = [disk.disk_format, disk.driver, disk.cache_mode, disk.aio_mode, disk.fs]
        return `disk${disk.index}:${disk.size}M/${kinds.join('/')}`
      })
      .join(','),
    ips: joined([...nics.map(({ ip_addr }) => ip_addr), ...nics.map(({ ip6_addr }) => ip6_addr)]),
    is_gpu: facts.is_gpu === true || isolated_devices.some(({ dev_type }) => dev_type === 'GPU'),
    secgroup: secgroups[0]?.name ?? '',
    secgrp_id: secgroups[0]?.id ?? '',
    tenant_id: facts.project_id,
    metadata: Object.fromEntries([
      ...prefixed('user:', own),
      ...prefixed('ext:', tags),
      ...prefixed('sys:', notes),
    ]),
  } as Server
}

/** The fields of the recycle bin, which belong to Muster. */
export type BinFields = Pick<Server, 'pending_deleted' | 'pending_deleted_at' | 'auto_delete_at'>
const outOfBin: BinFields = {
  pending_deleted: false,
  pending_deleted_at: null,
  auto_delete_at: null,
}

/**
 * What is stored of a report. A known server stays in the recycle bin, or outside, until it runs. One that
 * was gone is in the bin again if its time there is not over.
 */
function keepBin(facts: ServerFacts, before: Kept | undefined, now: string): ServerFacts {
  const notes = { ...facts.notes, ...(facts.disable_delete === true && { protected_by: 'source' }) }
  if (!before) return { ...facts, notes }
  const isOver = before.deletedAt !== null && (before.facts.auto_delete_at ?? '') <= now
  const stays = before.facts.pending_deleted === true && facts.status !== 'running' && !isOver
  const { pending_deleted = false, pending_deleted_at = null, auto_delete_at = null } = before.facts
  const bin = stays ? { pending_deleted, pending_deleted_at, auto_delete_at } : outOfBin
  return { ...facts, ...bin, notes }
}

/** A model of the stored servers: plain objects and the changes to them. */
export function createStoredServers(projects: readonly ModelProject[]) {
  const kept = new Map<string, Kept>()
  const projectOf = (id: string | undefined) => projects.find((project) => project.id === id)

  function describe({ facts, own, version, updatedAt, deletedAt }: Kept): Server {
    const [project, manager] = [projectOf(facts.project_id), projectOf(facts.manager_project_id)]
    return {
      ...derive(facts, own),
      project: project?.name ?? '',
      tenant: project?.name ?? '',
      domain_id: project?.domainId ?? '',
      project_domain: project?.domain ?? '',
      manager_project: manager?.name ?? '',
      manager_domain: manager?.domain ?? '',
      manager_domain_id: manager?.domainId ?? '',
      ...(deletedAt !== null && { status: 'unknown' }),
      deleted: deletedAt !== null,
      deleted_at: deletedAt,
      update_version: version,
      updated_at: updatedAt,
    }
  }

  function end(id: string, now: string): void {
    const server = kept.get(id)
    if (!server || server.deletedAt !== null) return
    Object.assign(server, { deletedAt: now, updatedAt: now, version: server.version + 1 })
  }

  return {
    projects,
    servers: (): Server[] => [...kept.values()].map(describe),
    /** What the source last said of each server, and whether the server is gone. */
    facts: () =>
      [...kept.values()].map(({ facts, deletedAt }) => ({ facts, isDeleted: deletedAt !== null })),

    /** What a source saw at some time, and what it no longer sees. */
    record(present: readonly ServerFacts[], gone: readonly string[], at: number): void {
      const now = wireTimestamp(at)
      for (const id of gone) end(id, now)
      for (const facts of present) {
        const before = kept.get(facts.id)
        kept.set(facts.id, {
          facts: keepBin(facts, before, now),
          own: before?.own ?? {},
          version: before ? before.version + 1 : 0,
          updatedAt: facts.updated_at ?? now,
          deletedAt: null,
        })
      }
    },

    /** Forgets the servers that are gone. */
    purge(): void {
      for (const [id, { deletedAt }] of kept) if (deletedAt !== null) kept.delete(id)
    },

    /** Moves a server into the recycle bin, or out of it. */
    recycle(id: string, bin: BinFields, at: number): void {
      const server = kept.get(id)
      if (!server) return
      const facts = { ...server.facts, ...bin }
      Object.assign(server, { facts, updatedAt: wireTimestamp(at), version: server.version + 1 })
    },

    /** The owner's own tags of a server, all of them. */
    tag(id: string, change: (own: Tags) => Tags, at: number): void {
      const server = kept.get(id)
      if (!server) return
      const own = change(server.own)
      if (isDeepStrictEqual(own, server.own)) return
      Object.assign(server, { own, updatedAt: wireTimestamp(at), version: server.version + 1 })
    },
  }
}
