import { hash } from 'node:crypto'
import type { Server } from '@muster/contract'
import { defaultServer } from './build-server.ts'
import { callerFields, shortFields } from './fields.ts'

/** Names that identity keeps: they are put in when a server is shown. */
const ownersFields = [
  'project',
  'tenant',
  'project_domain',
  'manager_project',
  'manager_domain',
] as const
export type OwnersField = (typeof ownersFields)[number]

/** The JSON of a server in parts, rendered when it is written and joined when it is read. */
export interface RenderedServer {
  /** JSON without the owner's names, the caller fields and the closing brace, which follow. */
  readonly document: string
  /** JSON without the closing brace. */
  readonly summary: string
  /** JSON. */
  readonly metadata: string
  /** JSON members for callers who may see them; empty if there is no such group. */
  readonly adminGroup: string
  readonly digests: Readonly<Record<'document' | 'summary' | 'metadata', string>>
}

/**
 * What is put in when a server is shown. It is blanked, not deleted: an object that lost a key takes
 * twice as long to become JSON.
 */
const later = Object.fromEntries(
  ['metadata', ...callerFields, ...ownersFields].map((key) => [key, undefined]),
) as Partial<Record<keyof Server, undefined>>

/** What of a server is the same for everybody who sees it, in the order in which it is shown. */
const documentOf = (server: Server) => ({ ...server, ...later })

const emptySummary = Object.fromEntries(shortFields.map((key) => [key, undefined]))

function summaryOf(server: Server): Partial<Server> {
  const summary: Record<string, unknown> = { ...emptySummary }
  for (const key of shortFields) summary[key] = server[key]
  return summary
}

const openJson = (object: object) => JSON.stringify(object).slice(0, -1)

const digest = (text: string) => hash('sha1', text, 'base64url')

/** Raise it if servers are rendered or stored differently although their fields are the same. */
const revision = 2

/**
 * The version of the rendering, stored with every document. It differs between versions of Muster
 * whose servers have other fields, other default values or another short form.
 */
export const renderingVersion = digest(
  JSON.stringify([revision, defaultServer, shortFields]),
).slice(0, 8)

export function renderServer(server: Server): RenderedServer {
  const { admin_secgrp_id, admin_security_rules } = server
  const document = openJson(documentOf(server))
  const summary = openJson(summaryOf(server))
  const metadata = JSON.stringify(server.metadata)
  return {
    document,
    summary,
    metadata,
    adminGroup:
      admin_secgrp_id === ''
        ? ''
        : JSON.stringify({ admin_secgrp_id, admin_security_rules }).slice(1, -1),
    digests: { document: digest(document), summary: digest(summary), metadata: digest(metadata) },
  }
}
