import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Check, CloudAccount } from '@muster/contract'
import { attentionOf } from './attention.ts'

const now = Date.parse('2026-05-04T12:00:00Z')

const check = (id: string, severity: Check['severity'], violations: number) =>
  ({ id, severity, violations }) as Check

const account = (id: string, status: CloudAccount['status'], minutes: number) =>
  ({
    id,
    status,
    period: 300,
    sync: { finished_at: new Date(now - minutes * 60_000).toISOString() },
  }) as CloudAccount

const none = {
  checks: [],
  accounts: [],
  failedServers: 0,
  failedTasks: 0,
  breakGlassLogins: 0,
  serviceAccounts: 0,
}
const failingAccounts = 'c0000000000000000000000000000009'

const namesOf = (known: Parameters<typeof attentionOf>[0]) =>
  attentionOf(known, now).map((item) => {
    if (item.kind === 'check') return item.check.id
    return item.kind === 'account' ? `${item.account.id} ${item.freshness}` : item.kind
  })

describe('what needs attention', () => {
  it('is nothing if everything is well', () => {
    const accounts = [account('fine', 'connected', 4), account('off', 'disabled', 900)]
    assert.deepEqual(namesOf({ ...none, checks: [check('a', 'critical', 0)], accounts }), [])
  })

  it('is sorted by severity, then by kind, then by the number of violations', () => {
    const known = {
      checks: [
        check('few', 'warning', 1),
        check('many', 'warning', 9),
        check('bad', 'critical', 2),
      ],
      accounts: [
        account('late', 'connected', 60),
        account('lost', 'lost', 60),
        account('failed', 'disconnected', 1),
        account('partly', 'degraded', 1),
      ],
      failedServers: 3,
      failedTasks: 1,
      breakGlassLogins: 1,
      serviceAccounts: 2,
    }
    assert.deepEqual(namesOf(known), [
      'bad',
      'lost lost',
      'failed disconnected',
      'servers',
      'many',
      'few',
      'late late',
      'partly degraded',
      'tasks',
      'logins',
      'programs',
    ])
  })

  it('leaves out the check of accounts where the accounts are known', () => {
    const checks = [check(failingAccounts, 'critical', 1)]
    assert.deepEqual(namesOf({ ...none, checks }), [failingAccounts])
    assert.deepEqual(namesOf({ ...none, checks, accounts: [account('a', 'lost', 1)] }), ['a lost'])
  })
})
