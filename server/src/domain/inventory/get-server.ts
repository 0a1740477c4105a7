import type { ScopeParameter } from '@muster/contract'
import { hash } from 'node:crypto'
import { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { withLastSyncTime, type LastSyncTimes } from './last-sync-times.ts'
import type { Owners } from './owners.ts'
import { requesterOf, type ServerFinder, type ServerParts } from './ports.ts'
import { ownership } from './caller-fields.ts'
import { createRowRenderer } from './server-list/render-rows.ts'
import { findVisibility, type Visibility } from './server-list/visibility.ts'
import { covers } from '../scope.ts'

interface Dependencies {
  readonly findServer: FindServer
  readonly owners: Owners
}

const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const mostNamesakes = 20
const whole = { details: true, withMetadata: true, keys: undefined }

export const serverNotFound = () =>
  new PlatformError('ResourceNotFoundError', 'Server not found, or you do not have access to it.')

const ambiguous = (ids: readonly string[]) => {
  const some = ids.length > mostNamesakes ? ' and others' : ''
  return new PlatformError(
    'ConflictError',
    `Several servers have this name: ${ids.slice(0, mostNamesakes).join(', ')}${some}. Use an id.`,
  )
}

/** Finds a server by its id, or by a name that only one visible server has. */
export function createFindServer(
  finder: Pick<ServerFinder, 'findByName' | 'loadById'>,
  syncTimes: LastSyncTimes,
) {
  async function findId(visibility: Visibility, idOrName: string, caller: Caller): Promise<string> {
    if (idForm.test(idOrName)) return idOrName
    const requester = requesterOf(caller)
    const ids = await finder.findByName(visibility.scope, idOrName, mostNamesakes + 1, requester)
    const [id, ...others] = ids
    if (id === undefined) throw serverNotFound()
    if (others.length > 0) throw ambiguous(ids)
    return id
  }

  return async function findServer(
    caller: Caller,
    idOrName: string,
    scope: ScopeParameter = 'max',
  ): Promise<{ readonly parts: ServerParts; readonly visibility: Visibility }> {
    const { principal, authorizedScope } = caller
    const visibility = findVisibility(principal, authorizedScope.scope, scope)
    const id = await findId(visibility, idOrName, caller)
    const mayBeDeleted = visibility.deletes.kind !== 'none'
    const parts = await finder.loadById(visibility.scope, id, mayBeDeleted)
    if (!parts || (parts.isDeleted && !covers(visibility.deletes, parts))) throw serverNotFound()
    return { parts: withLastSyncTime(parts, syncTimes), visibility }
  }
}
export type FindServer = ReturnType<typeof createFindServer>

/** Returns one server with all its fields. */
export function createGetServer({ findServer, owners }: Dependencies) {
  const start = Buffer.from('{"server":')

  return async function getServer(caller: Caller, idOrName: string, scope?: ScopeParameter) {
    const { parts, visibility } = await findServer(caller, idOrName, scope)
    const rows = createRowRenderer(whole, await ownership(owners), visibility)
    return {
      body: Buffer.concat([start, ...rows.render(parts, '}')]),
      etag: `"${hash('md5', rows.digests(), 'base64url')}"`,
    }
  }
}
export type GetServer = ReturnType<typeof createGetServer>
