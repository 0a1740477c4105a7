import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ScopeOrNone } from '../scope.ts'
import type { Owner, ServerParts } from './ports.ts'
import type { Visibility } from './visibility.ts'
import { callerFieldsOf } from './caller-fields.ts'

const parts = (changes: Partial<ServerParts> = {}): ServerParts => ({
  id: 'id',
  projectId: 'p',
  domainId: 'd',
  accountId: 'a',
  managerProjectId: '',
  isDeleted: false,
  adminGroup: '',
  body: Buffer.from('{'),
  digest: '',
  metadata: undefined,
  metadataDigest: '',
  ...changes,
})

const nothing: ScopeOrNone = { kind: 'none' }
const visibility = (changes: Partial<Visibility> = {}): Visibility => ({
  scope: { kind: 'system' },
  updates: nothing,
  deletes: nothing,
  administers: nothing,
  key: '',
  ...changes,
})

const owner = (project: string): Owner => ({ projectId: 'p', project, domainId: 'd', domain: 'D' })
const owners = (project: string): ReadonlyMap<string, Owner> => new Map([['p', owner(project)]])
const known = owners('Project "1"')

const read = (callerFields: { readonly open: Buffer }): Record<string, unknown> =>
  JSON.parse(`{"id":1${callerFields.open.toString()}}`) as Record<string, unknown>

const forced = '"admin_secgrp_id":"g","admin_security_rules":"in:deny any"'

describe('the caller fields of a server', () => {
  test('have the current names of its owners', () => {
    const callerFields = read(callerFieldsOf(known, parts({ managerProjectId: 'p' }), visibility()))
    assert.deepEqual(
      [callerFields['project'], callerFields['tenant'], callerFields['project_domain']],
      ['Project "1"', 'Project "1"', 'D'],
    )
    assert.deepEqual(
      [callerFields['manager_project'], callerFields['manager_domain']],
      ['Project "1"', 'D'],
    )
    assert.equal(read(callerFieldsOf(owners('new'), parts(), visibility()))['project'], 'new')
    assert.equal(read(callerFieldsOf(new Map(), parts(), visibility()))['project'], '')
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
      const callerFields = read(callerFieldsOf(known, parts(), visibility({ updates: scope })))
      assert.equal(callerFields['can_update'], may, JSON.stringify(scope))
      assert.equal(callerFields['update_fail_reason'] === '', may)
      const gone = read(
        callerFieldsOf(known, parts({ isDeleted: true }), visibility({ updates: scope })),
      )
      assert.equal(gone['can_update'], false)
      assert.match(String(gone['update_fail_reason']), /deleted/)
    }
  })

  test('never say that it can be deleted', () => {
    const everything = visibility({ updates: { kind: 'system' }, deletes: { kind: 'system' } })
    const callerFields = read(callerFieldsOf(known, parts(), everything))
    assert.equal(callerFields['can_delete'], false)
    assert.notEqual(callerFields['delete_fail_reason'], '')
  })

  test('show the operator’s group to administrators only, whoever the previous caller was', () => {
    const server = parts({ adminGroup: forced })
    const administers: ScopeOrNone = { kind: 'domain', domainId: 'd' }
    for (const _round of [1, 2]) {
      const seen = read(callerFieldsOf(known, server, visibility({ administers })))
      assert.deepEqual(
        [seen['admin_secgrp_id'], seen['admin_security_rules']],
        ['g', 'in:deny any'],
      )
      const hidden = read(callerFieldsOf(known, server, visibility()))
      assert.deepEqual([hidden['admin_secgrp_id'], hidden['admin_security_rules']], ['', ''])
    }
  })

  test('differ by their digest, and are rendered once', () => {
    const one = callerFieldsOf(known, parts(), visibility())
    assert.equal(callerFieldsOf(known, parts({ id: 'another' }), visibility()), one)
    const others = [
      callerFieldsOf(known, parts({ managerProjectId: 'p' }), visibility()),
      callerFieldsOf(known, parts({ isDeleted: true }), visibility()),
      callerFieldsOf(known, parts(), visibility({ updates: { kind: 'system' } })),
      callerFieldsOf(
        known,
        parts({ adminGroup: forced }),
        visibility({ administers: { kind: 'system' } }),
      ),
      callerFieldsOf(owners('other'), parts(), visibility()),
    ]
    assert.equal(new Set([one, ...others].map(({ digest }) => digest)).size, 6)
  })
})
