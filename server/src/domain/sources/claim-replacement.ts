import { randomUUID } from 'node:crypto'
import type { Server } from '@muster/contract'
import { buildServer } from '../inventory/build-server.ts'
import { tagsOf } from '../inventory/metadata.ts'
import { keepOwnFields } from '../inventory/own-fields.ts'
import type { ServerWrite, StoredServer } from '../inventory/ports.ts'
import { renderServer } from '../inventory/render-server.ts'

interface Target {
  readonly domainId: string
  /** The server that the domain had before under another id. */
  readonly former: StoredServer | undefined
  readonly now: string
}

/**
 * The server that replaces a claimed one in another domain. It has only the fields that name and locate the
 * server: another domain must not see what the old account knew about it. Without its location, the source would
 * not find it, and a failing region would not protect it.
 */
export function replacementOf(
  { server }: StoredServer,
  holder: Partial<Server>,
  { domainId, former, now }: Target,
): ServerWrite {
  const { name, provider, brand, external_id, created_at } = server
  const { region, region_ext_id, zone_ext_id } = server
  const { tenant } = tagsOf(server.metadata, 'notes')
  const { project_id = '', account_id = '', ...rest } = holder
  const facts = {
    name,
    provider,
    brand,
    external_id,
    region,
    region_ext_id,
    zone_ext_id,
    ...(tenant !== undefined && { notes: { tenant } }),
    created_at,
    project_id,
    account_id,
    ...rest,
  }
  const reported = buildServer(
    { ...facts, id: former?.id ?? randomUUID(), status: 'unknown' },
    {
      domainId,
      managerDomainId: domainId,
      ownTags: former ? tagsOf(former.server.metadata, 'own') : {},
      createdAt: created_at ?? now,
      updateVersion: former ? former.server.update_version + 1 : 0,
      updatedAt: now,
    },
  )
  const replacement = keepOwnFields(reported, former?.server, now)
  return {
    stored: former,
    server: replacement,
    factsDigest: '',
    rendered: renderServer(replacement),
  }
}
