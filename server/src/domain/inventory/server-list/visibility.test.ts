import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  makePolicy,
  makeProject,
  makeRole,
  makeToken,
  makeUser,
  makeUserStatus,
  onDomain,
  onProject,
  onSystem,
} from '../../../testing/identity-world/identity-records.ts'
import { createPrincipal } from '../../identity/principal.ts'
import { findVisibility, requireStateAccess } from './visibility.ts'

const web = makeProject('web')
const { domain } = web
const none = { kind: 'none' } as const
const scopes = {
  project: { kind: 'project', projectId: web.id, domainId: domain.id },
  domain: { kind: 'domain', domainId: domain.id },
  system: { kind: 'system' },
} as const

for (const level of ['project', 'domain', 'system'] as const) {
  for (const action of ['get', 'update', 'delete'] as const) {
    test(`the permission "${action}" on the ${level}`, () => {
      const rule = { service: 'compute', resource: 'servers', action, effect: 'allow' } as const
      const role = makeRole('some', [makePolicy('some', level, [rule])])
      const held = {
        project: onProject(role, web),
        domain: onDomain(role, domain),
        system: onSystem(role),
      }[level]
      const granted =
        level === 'domain'
          ? ({ kind: 'domain', domain } as const)
          : ({ kind: 'project', project: web } as const)
      const status = makeUserStatus(makeUser('alice'), held)
      const principal = createPrincipal(makeToken(), status, granted)
      const scope = scopes[level]
      const visibility = findVisibility(principal, scope, 'max')
      assert.deepEqual(visibility, {
        scope,
        updates: action === 'update' ? scope : none,
        deletes: action === 'delete' ? scope : none,
        // Projects do not see the security group that the operator enforces.
        administers: action === 'get' && level !== 'project' ? scope : none,
      })
      requireStateAccess('live', visibility)
      for (const state of ['recycled', 'deleted'] as const) {
        const read = () => requireStateAccess(state, visibility)
        if (action === 'delete') read()
        else assert.throws(read, { class: 'ForbiddenError' })
      }
    })
  }
}
