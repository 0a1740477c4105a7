import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  makePolicy,
  makeProject,
  makeRole,
  makeToken,
  makeUser,
  makeUserStatus,
  onProject,
} from '../../testing/identity-world/identity-records.ts'
import { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import { createPrincipal } from '../identity/principal.ts'
import { covers } from '../scope.ts'
import { createFindServer } from './get-server.ts'
import type { ServerFinder, ServerParts } from './ports.ts'

const web = makeProject('web')
const owner = { projectId: web.id, domainId: web.domain.id }
const scope = { kind: 'project', ...owner } as const

/** Somebody who sees the servers of a project, and may delete them or not. */
function callerWho(mayDelete: boolean): Caller {
  const rule = { service: 'compute', resource: 'servers', action: 'delete' } as const
  const rules = mayDelete ? [{ ...rule, effect: 'allow' } as const] : []
  const held = onProject(makeRole('member', [makePolicy('member', 'project', rules)]), web)
  const principal = createPrincipal(makeToken(), makeUserStatus(makeUser('alice'), held), {
    kind: 'project',
    project: web,
  })
  return { principal, authorizedScope: { scope, self: undefined } } as unknown as Caller
}

const find = (servers: readonly Partial<ServerParts>[], caller: Caller, idOrName: string) =>
  createFindServer(
    {
      findByName: async (_scope, _name, limit) => servers.slice(0, limit).map(({ id = '' }) => id),
      loadById: async (visible, id, withDeleted) =>
        servers.find(
          (server) =>
            server.id === id &&
            covers(visible, server as ServerParts) &&
            (withDeleted || !server.isDeleted),
        ) as ServerParts | undefined,
    } as Partial<ServerFinder> as ServerFinder,
    { of: () => undefined, version: () => 0 },
  )(caller, idOrName)

const failsWith = (name: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof PlatformError)
  assert.equal(error.class, name)
  assert.match(error.message, message)
  return true
}

for (const count of [0, 1, 2, 20, 21, 22]) {
  test(`a name of ${count} servers`, async () => {
    const servers = Array.from({ length: count }, (_, index) => ({ id: `s${index}.`, ...owner }))
    const found = find(servers, callerWho(false), 'web')
    if (count === 1) assert.equal((await found).parts.id, 's0.')
    else if (count === 0)
      await assert.rejects(found, failsWith('ResourceNotFoundError', /not found/))
    else {
      const ids = servers.slice(0, 20).map(({ id }) => id)
      const listed = `${ids.join(', ')}${count > 20 ? ' and others' : ''}. Use an id.`
      await assert.rejects(
        found,
        failsWith('ConflictError', new RegExp(`: ${listed.replaceAll('.', String.raw`\.`)}$`)),
      )
    }
  })
}

test('a deleted server is found by those who may delete servers where it was', async () => {
  const id = '01234567-89ab-cdef-0123-456789abcdef'
  const other = { projectId: 'other', domainId: web.domain.id }
  for (const place of [owner, other]) {
    for (const isDeleted of [false, true]) {
      for (const mayDelete of [false, true]) {
        const found = find([{ id, isDeleted, ...place }], callerWho(mayDelete), id)
        const isVisible = place === owner && (!isDeleted || mayDelete)
        if (isVisible) assert.equal((await found).parts.id, id)
        else await assert.rejects(found, failsWith('ResourceNotFoundError', /not found/))
      }
    }
  }
})
