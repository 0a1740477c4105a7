import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KeyRestriction, Server } from '@muster/contract'
import {
  makePolicy,
  makeProject,
  makeRole,
  makeUser,
  makeUserStatus,
  onProject,
} from '../../testing/identity-world/identity-records.ts'
import type { PolicyRule } from '../identity/records.ts'
import type { AccessKeyStore } from '../identity/ports.ts'
import { createReauthorizeTask } from './reauthorize-task.ts'
import type { TaskRecord } from './task.ts'

const now = Date.UTC(2027, 0, 1)
const project = makeProject('web')
const server = { project_id: project.id, domain_id: project.domain.id } as Server

interface Case {
  readonly task?: Partial<TaskRecord>
  readonly server?: Partial<Server>
  readonly user?: Parameters<typeof makeUser>[1]
  /** The actions that the user's role in the project allows. */
  readonly allows?: readonly string[]
  readonly isGone?: boolean
  readonly key?: {
    readonly enabled: boolean
    readonly expiresAt: number | null
    readonly restriction?: KeyRestriction
  }
}

/** Why a start by alice, or by Muster itself, must not begin. */
async function reauthorize(given: Case): Promise<string | undefined> {
  const rules = (given.allows ?? ['perform']).map((action): PolicyRule => ({
    service: 'compute',
    resource: 'servers',
    action: action as PolicyRule['action'],
    effect: 'allow',
  }))
  const role = makeRole('operator', [makePolicy('operator', 'project', rules)])
  const assignments = given.allows?.length === 0 ? [] : [onProject(role, project)]
  const status = makeUserStatus(makeUser('alice', given.user), ...assignments)
  const check = createReauthorizeTask({
    directory: { loadUserStatus: async () => (given.isGone ? undefined : status) },
    accessKeys: { find: async () => given.key } as unknown as AccessKeyStore,
    clock: () => now,
  })
  const task = {
    action: 'start',
    user_id: 'user-alice',
    access_key_id: '',
    project_id: project.id,
    caller_scope: { kind: 'project', id: project.id },
    ...given.task,
  } as TaskRecord
  return await check(task, { server: { ...server, ...given.server } })
}

const withKey = { task: { access_key_id: 'key' } }
const usable = { enabled: true, expiresAt: null }
const own = { task: { user_id: '' }, isGone: true }

describe('a task that begins', () => {
  const allowed: Readonly<Record<string, Case>> = {
    'for its user': {},
    'with the permission for this action only': { allows: ['perform.start'] },
    'for a user who expires later': { user: { expiresAt: now + 1 } },
    'with an access key': { ...withKey, key: usable },
    'with an access key that expires later': { ...withKey, key: { ...usable, expiresAt: now + 1 } },
    'by Muster itself': own,
  }
  for (const [name, given] of Object.entries(allowed)) {
    test(`may go on ${name}`, async () => assert.equal(await reauthorize(given), undefined))
  }

  const refused: Readonly<Record<string, readonly [Case, RegExp]>> = {
    'a server that was moved': [{ server: { project_id: 'other' } }, /moved to another project/],
    'a server that was moved, by Muster itself': [
      { ...own, server: { project_id: 'other' } },
      /moved to another project/,
    ],
    'a deleted user': [{ isGone: true }, /disabled or deleted/],
    'a disabled user': [{ user: { enabled: false } }, /disabled or deleted/],
    'a user who expires now': [{ user: { expiresAt: now } }, /disabled or deleted/],
    'a deleted access key': [withKey, /access key .* disabled, expired or deleted/],
    'a disabled access key': [{ ...withKey, key: { ...usable, enabled: false } }, /access key/],
    'an access key that expires now': [
      { ...withKey, key: { ...usable, expiresAt: now } },
      /access key/,
    ],
    'an access key that does not allow the action': [
      {
        ...withKey,
        key: {
          ...usable,
          restriction: { read_only: false, actions: ['stop'], projects: null, networks: null },
        },
      },
      /no longer has the permission/,
    ],
    'a user without the role': [{ allows: [] }, /no longer has the permission/],
    'a role without the permission': [{ allows: ['perform.stop', 'get'] }, /no longer has/],
    'an action that needs another permission': [{ task: { action: 'delete' } }, /no longer has/],
    'a token without a scope': [{ task: { caller_scope: { kind: 'none' } } }, /no longer has/],
    'a server of another project of the token': [
      { server: { project_id: 'other' }, task: { project_id: 'other' } },
      /no longer has/,
    ],
  }
  for (const [name, [given, reason]] of Object.entries(refused)) {
    test(`is stopped for ${name}`, async () =>
      assert.match((await reauthorize(given)) ?? 'allowed', reason))
  }
})
