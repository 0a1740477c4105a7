import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ScopeOrNone } from '../scope.ts'
import type { Owner, ServerParts } from './ports.ts'
import type { Visibility } from './visibility.ts'
import { tailOf } from './tails.ts'

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

const read = (tail: { readonly open: Buffer }): Record<string, unknown> =>
  JSON.parse(`{"id":1${tail.open.toString()}}`) as Record<string, unknown>

const forced = '"admin_secgrp_id":"g","admin_security_rules":"in:deny any"'

describe('the end of a server', () => {
  test('has the names of its owner as they are now', () => {
    const tail = read(tailOf(known, parts({ managerProjectId: 'p' }), visibility()))
    assert.deepEqual(
      [tail['project'], tail['tenant'], tail['project_domain']],
      ['Project "1"', 'Project "1"', 'D'],
    )
    assert.deepEqual([tail['manager_project'], tail['manager_domain']], ['Project "1"', 'D'])
    assert.equal(read(tailOf(owners('new'), parts(), visibility()))['project'], 'new')
    assert.equal(read(tailOf(new Map(), parts(), visibility()))['project'], '')
  })

  test('says who may tag it, and why not', () => {
    const updates: [ScopeOrNone, boolean][] = [
      [nothing, false],
      [{ kind: 'system' }, true],
      [{ kind: 'domain', domainId: 'd' }, true],
      [{ kind: 'domain', domainId: 'other' }, false],
      [{ kind: 'project', projectId: 'p', domainId: 'd' }, true],
      [{ kind: 'project', projectId: 'other', domainId: 'd' }, false],
    ]
    for (const [scope, may] of updates) {
      const tail = read(tailOf(known, parts(), visibility({ updates: scope })))
      assert.equal(tail['can_update'], may, JSON.stringify(scope))
      assert.equal(tail['update_fail_reason'] === '', may)
      const gone = read(tailOf(known, parts({ isDeleted: true }), visibility({ updates: scope })))
      assert.equal(gone['can_update'], false)
      assert.match(String(gone['update_fail_reason']), /deleted/)
    }
  })

  test('never says that it can be deleted', () => {
    const everything = visibility({ updates: { kind: 'system' }, deletes: { kind: 'system' } })
    const tail = read(tailOf(known, parts(), everything))
    assert.equal(tail['can_delete'], false)
    assert.notEqual(tail['delete_fail_reason'], '')
  })

  test('shows the operator’s group to those who administer, whoever asked before', () => {
    const server = parts({ adminGroup: forced })
    const administers: ScopeOrNone = { kind: 'domain', domainId: 'd' }
    for (const _round of [1, 2]) {
      const seen = read(tailOf(known, server, visibility({ administers })))
      assert.deepEqual(
        [seen['admin_secgrp_id'], seen['admin_security_rules']],
        ['g', 'in:deny any'],
      )
      const hidden = read(tailOf(known, server, visibility()))
      assert.deepEqual([hidden['admin_secgrp_id'], hidden['admin_security_rules']], ['', ''])
    }
  })

  test('is told apart by its digest, and made once', () => {
    const one = tailOf(known, parts(), visibility())
    assert.equal(tailOf(known, parts({ id: 'another' }), visibility()), one)
    const others = [
      tailOf(known, parts({ managerProjectId: 'p' }), visibility()),
      tailOf(known, parts({ isDeleted: true }), visibility()),
      tailOf(known, parts(), visibility({ updates: { kind: 'system' } })),
      tailOf(known, parts({ adminGroup: forced }), visibility({ administers: { kind: 'system' } })),
      tailOf(owners('other'), parts(), visibility()),
    ]
    assert.equal(new Set([one, ...others].map(({ digest }) => digest)).size, 6)
  })
})
