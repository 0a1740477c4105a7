import { hash } from 'node:crypto'
import type { Server } from '@muster/contract'
import { defaultServer } from './build-server.ts'
import { childKinds, inventoryKinds, resourceOf } from './kinds.ts'
import { callerFields, shortFields } from './fields.ts'

/** Names that belong to identity data. They are inserted when a server is shown. */
export const ownersFields = [
  'project',
  'tenant',
  'project_domain',
  'manager_project',
  'manager_domain',
] as const
export type OwnersField = (typeof ownersFields)[number]

/** The JSON of a server in parts, rendered when it is written and joined when it is read. */
export interface RenderedServer {
  /** The short form: JSON without the closing brace. */
  readonly short: string
  /** The other members, without the owner's names, the caller fields and the closing brace, which follow. */
  readonly rest: string
  /** JSON. */
  readonly metadata: string
  /** JSON members for callers who may see them; empty if there is no such group. */
  readonly adminGroup: string
  /** The digest of all parts that every caller sees. */
  readonly digest: string
}

/**
 * Keys that the rest does not contain: the short form, and what is inserted when a server is shown. They are
 * set to undefined, not deleted: an object that lost a key takes twice as long to become JSON.
 */
const elsewhere = Object.fromEntries(
  ['metadata', ...shortFields, ...callerFields, ...ownersFields].map((key) => [key, undefined]),
) as Partial<Record<keyof Server, undefined>>

const emptyShort = Object.fromEntries(shortFields.map((key) => [key, undefined]))

function shortOf(server: Server): Partial<Server> {
  const short: Record<string, unknown> = { ...emptyShort }
  for (const key of shortFields) short[key] = server[key]
  return short
}

const digest = (text: string) => hash('sha1', text, 'base64url')

/** Raise it if servers are rendered or stored differently although the fields are the same. */
const revision = 4

/**
 * The version of the rendering, stored with every document. It differs between versions of Muster
 * whose servers have other fields, other default values, another short form or other resources, which are
 * written with them.
 */
export const renderingVersion = digest(
  JSON.stringify([
    revision,
    defaultServer,
    shortFields,
    inventoryKinds,
    childKinds.map((kind) => Object.keys(resourceOf(kind).fields)),
  ]),
).slice(0, 8)

export function renderServer(server: Server): RenderedServer {
  const { admin_secgrp_id, admin_security_rules } = server
  const short = JSON.stringify(shortOf(server)).slice(0, -1)
  const rest = JSON.stringify({ ...server, ...elsewhere }).slice(1, -1)
  const metadata = JSON.stringify(server.metadata)
  return {
    short,
    rest,
    metadata,
    adminGroup:
      admin_secgrp_id === ''
        ? ''
        : JSON.stringify({ admin_secgrp_id, admin_security_rules }).slice(1, -1),
    digest: digest(`${short},${rest}${metadata}`),
  }
}
