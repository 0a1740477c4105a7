import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  makeDomain,
  makePolicy,
  makeProject,
  makeRole,
  makeToken,
  makeUser,
  makeUserStatus,
  onProject,
} from '../../testing/identity-world/identity-records.ts'
import { PlatformError } from '../error.ts'
import type { Caller } from './caller.ts'
import { createPrincipal } from './principal.ts'
import { createReauthorizeCaller } from './reauthorize-caller.ts'

const now = Date.UTC(2026, 0, 2)
const web = makeProject('web')
const scope = { kind: 'project', id: web.id } as const
const need = { service: 'compute', resource: 'servers', action: 'delete', at: ['project'] } as const
const allow = makePolicy('deleting', 'project', [{ ...need, effect: 'allow' }])
const held = onProject(makeRole('owner', [allow]), web)
const shut = makeDomain('shut', { enabled: false })

/** What the database has when the change is decided. The first of each is valid. */
const tokens = {
  valid: makeToken({ scope, expiresAt: now + 1 }),
  expired: makeToken({ scope, expiresAt: now }),
  revoked: undefined,
}
const users = {
  active: makeUser('alice', { expiresAt: now + 1 }),
  ended: makeUser('alice', { expiresAt: now }),
  disabled: makeUser('alice', { enabled: false }),
  'of a disabled domain': makeUser('alice', { domain: shut }),
  deleted: undefined,
}
const assignments = {
  held: [held],
  'without the permission': [onProject(makeRole('owner'), web)],
  revoked: [],
}

const before = createPrincipal(tokens.valid, makeUserStatus(users.active, held), {
  kind: 'project',
  project: web,
})
const caller = { principal: before, need, origin: { ip: '192.0.2.1' } } as unknown as Caller

for (const [tokenIs, token] of Object.entries(tokens)) {
  for (const [userIs, user] of Object.entries(users)) {
    for (const [roleIs, roles] of Object.entries(assignments)) {
      const isLoggedIn = tokenIs === 'valid' && userIs === 'active' && roleIs !== 'revoked'
      const expected = !isLoggedIn ? 'UnauthorizedError' : roleIs === 'held' ? '' : 'ForbiddenError'
      test(`token ${tokenIs}, user ${userIs}, role ${roleIs}: ${expected || 'authorized'}`, async () => {
        const reauthorize = createReauthorizeCaller({
          tokens: {
            find: async (id: string) => (id === before.token.id ? token : undefined),
          } as never,
          directory: {
            loadUserStatus: async () => user && makeUserStatus(user, ...roles),
          } as never,
          clock: () => now,
        })
        if (expected === '') {
          const { authorizedScope } = await reauthorize(caller)
          assert.deepEqual(authorizedScope, {
            scope: { kind: 'project', projectId: web.id, domainId: web.domain.id },
            self: undefined,
          })
          return
        }
        await assert.rejects(reauthorize(caller), (error) => {
          assert.ok(error instanceof PlatformError)
          assert.equal(error.class, expected)
          return true
        })
      })
    }
  }
}
