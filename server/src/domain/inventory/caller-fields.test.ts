import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ScopeOrNone } from '../scope.ts'
import type { Owner, ServerParts } from './ports.ts'
import type { Visibility } from './server-list/visibility.ts'
import {
  callerFieldsKey,
  deleteState,
  renderCallerFields,
  type Ownership,
} from './caller-fields.ts'

const parts = (changes: Partial<ServerParts> = {}): ServerParts => ({
  id: 'id',
  projectId: 'p',
  domainId: 'd',
  accountId: 'a',
  managerProjectId: '',
  isDeleted: false,
  adminGroup: '',
  body: Buffer.from('{'),
  shortLength: 0,
  metadata: Buffer.from('{}'),
  digest: '',
  ...changes,
})

const nothing: ScopeOrNone = { kind: 'none' }
const visibility = (changes: Partial<Visibility> = {}): Visibility => ({
  scope: { kind: 'system' },
  updates: nothing,
  deletes: nothing,
  administers: nothing,
  ...changes,
})

const owner = (project: string): Owner => ({ projectId: 'p', project, domainId: 'd', domain: 'D' })
const owners = (project: string): Ownership => ({
  byProject: new Map([['p', owner(project)]]),
  managed: new Set(['managed']),
})
const known = owners('Project "1"')

const read = (text: string): Record<string, unknown> =>
  JSON.parse(`{"id":1${text}}`) as Record<string, unknown>

const forced = '"admin_secgrp_id":"g","admin_security_rules":"in:deny any"'

const render = (from: Ownership, server: ServerParts, seen: Visibility) =>
  renderCallerFields(from, server, seen, deleteState(server, from))
const keyOf = (server: ServerParts, seen: Visibility) =>
  callerFieldsKey(server, seen, deleteState(server, known))

describe('the caller fields of a server', () => {
  test('have the current names of its owners', () => {
    const callerFields = read(render(known, parts({ managerProjectId: 'p' }), visibility()))
    assert.deepEqual(
      [callerFields['project'], callerFields['tenant'], callerFields['project_domain']],
      ['Project "1"', 'Project "1"', 'D'],
    )
    assert.deepEqual(
      [callerFields['manager_project'], callerFields['manager_domain']],
      ['Project "1"', 'D'],
    )
    assert.equal(read(render(owners('new'), parts(), visibility()))['project'], 'new')
    assert.equal(
      read(render({ byProject: new Map(), managed: new Set() }, parts(), visibility()))['project'],
      '',
    )
  })

  test('say whether the caller may update it, and why not', () => {
    const updates: [ScopeOrNone, boolean][] = [
      [nothing, false],
      [{ kind: 'system' }, true],
      [{ kind: 'domain', domainId: 'd' }, true],
      [{ kind: 'domain', domainId: 'other' }, false],
      [{ kind: 'project', projectId: 'p', domainId: 'd' }, true],
      [{ kind: 'project', projectId: 'other', domainId: 'd' }, false],
    ]
    for (const [scope, may] of updates) {
      const callerFields = read(render(known, parts(), visibility({ updates: scope })))
      assert.equal(callerFields['can_update'], may, JSON.stringify(scope))
      assert.equal(callerFields['update_fail_reason'] === '', may)
      const gone = read(render(known, parts({ isDeleted: true }), visibility({ updates: scope })))
      assert.equal(gone['can_update'], false)
      assert.match(String(gone['update_fail_reason']), /deleted/)
    }
  })

  test('say whether the caller may delete it, and why not', () => {
    const everything = visibility({ deletes: { kind: 'system' } })
    const managed = { accountId: 'managed' }
    const body = Buffer.from('{"id":"1","disable_delete":true')
    const metadata = Buffer.from('{"sys:task_id":"7"}')
    const reasons: [Partial<ServerParts>, Visibility, RegExp][] = [
      [managed, everything, /^$/],
      [managed, visibility(), /roles/],
      [{}, everything, /observe/],
      [{ ...managed, body }, everything, /protected/],
      [{ ...managed, metadata }, everything, /unfinished task/],
      [{ ...managed, isDeleted: true }, everything, /deleted/],
    ]
    for (const [changes, seen, reason] of reasons) {
      const callerFields = read(render(known, parts(changes), seen))
      assert.match(String(callerFields['delete_fail_reason']), reason)
      assert.equal(callerFields['can_delete'], reason.source === '^$')
    }
  })

  test('show the operator’s group to administrators only', () => {
    const server = parts({ adminGroup: forced })
    const administers: ScopeOrNone = { kind: 'domain', domainId: 'd' }
    const seen = read(render(known, server, visibility({ administers })))
    assert.deepEqual([seen['admin_secgrp_id'], seen['admin_security_rules']], ['g', 'in:deny any'])
    const hidden = read(render(known, server, visibility()))
    assert.deepEqual([hidden['admin_secgrp_id'], hidden['admin_security_rules']], ['', ''])
  })

  test('are the same for servers with the same key', () => {
    const one = [parts(), visibility()] as const
    const others = [
      [parts({ managerProjectId: 'p' }), visibility()],
      [parts({ isDeleted: true }), visibility()],
      [parts(), visibility({ updates: { kind: 'system' } })],
      [parts({ adminGroup: forced }), visibility({ administers: { kind: 'system' } })],
    ] as const
    assert.equal(keyOf(parts({ id: 'another' }), visibility()), keyOf(...one))
    // A group that the caller does not see makes no difference.
    assert.equal(keyOf(parts({ adminGroup: forced }), visibility()), keyOf(...one))
    assert.equal(new Set([one, ...others].map((each) => keyOf(...each))).size, 5)
    assert.equal(new Set([one, ...others].map((each) => render(known, ...each))).size, 5)
  })
})
