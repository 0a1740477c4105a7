import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ScopeOrNone } from '../scope.ts'
import type { Owner, ServerParts } from './ports.ts'
import type { Visibility } from './visibility.ts'
import { callerFieldsKey, renderCallerFields } from './caller-fields.ts'

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
const owners = (project: string): ReadonlyMap<string, Owner> => new Map([['p', owner(project)]])
const known = owners('Project "1"')

const read = (text: string): Record<string, unknown> =>
  JSON.parse(`{"id":1${text}}`) as Record<string, unknown>

const forced = '"admin_secgrp_id":"g","admin_security_rules":"in:deny any"'

describe('the caller fields of a server', () => {
  test('have the current names of its owners', () => {
    const callerFields = read(
      renderCallerFields(known, parts({ managerProjectId: 'p' }), visibility()),
    )
    assert.deepEqual(
      [callerFields['project'], callerFields['tenant'], callerFields['project_domain']],
      ['Project "1"', 'Project "1"', 'D'],
    )
    assert.deepEqual(
      [callerFields['manager_project'], callerFields['manager_domain']],
      ['Project "1"', 'D'],
    )
    assert.equal(read(renderCallerFields(owners('new'), parts(), visibility()))['project'], 'new')
    assert.equal(read(renderCallerFields(new Map(), parts(), visibility()))['project'], '')
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
      const callerFields = read(renderCallerFields(known, parts(), visibility({ updates: scope })))
      assert.equal(callerFields['can_update'], may, JSON.stringify(scope))
      assert.equal(callerFields['update_fail_reason'] === '', may)
      const gone = read(
        renderCallerFields(known, parts({ isDeleted: true }), visibility({ updates: scope })),
      )
      assert.equal(gone['can_update'], false)
      assert.match(String(gone['update_fail_reason']), /deleted/)
    }
  })

  test('never say that it can be deleted', () => {
    const everything = visibility({ updates: { kind: 'system' }, deletes: { kind: 'system' } })
    const callerFields = read(renderCallerFields(known, parts(), everything))
    assert.equal(callerFields['can_delete'], false)
    assert.notEqual(callerFields['delete_fail_reason'], '')
  })

  test('show the operator’s group to administrators only', () => {
    const server = parts({ adminGroup: forced })
    const administers: ScopeOrNone = { kind: 'domain', domainId: 'd' }
    const seen = read(renderCallerFields(known, server, visibility({ administers })))
    assert.deepEqual([seen['admin_secgrp_id'], seen['admin_security_rules']], ['g', 'in:deny any'])
    const hidden = read(renderCallerFields(known, server, visibility()))
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
    assert.equal(callerFieldsKey(parts({ id: 'another' }), visibility()), callerFieldsKey(...one))
    // A group that the caller does not see makes no difference.
    assert.equal(
      callerFieldsKey(parts({ adminGroup: forced }), visibility()),
      callerFieldsKey(...one),
    )
    assert.equal(new Set([one, ...others].map((each) => callerFieldsKey(...each))).size, 5)
    assert.equal(
      new Set([one, ...others].map((each) => renderCallerFields(known, ...each))).size,
      5,
    )
  })
})
