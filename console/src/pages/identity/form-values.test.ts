import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fieldsOf, newRule, startValues, toChanges, toNew } from './form-values.ts'

const ada = {
  id: 'u1',
  name: 'ada',
  domain_id: 'd1',
  displayname: 'Ada',
  email: '',
  default_project_id: 'p1',
  expires_at: '2026-05-04T08:00:00.000000Z',
}

describe('the form of an entity', () => {
  const [users, policies] = [fieldsOf('users'), fieldsOf('policies')]

  it('creates an entity without empty fields', () => {
    const values = { ...startValues(users, undefined, { domain_id: 'd1' }), name: 'ada' }
    assert.deepEqual(toNew(users, values), { name: 'ada', domain_id: 'd1' })
  })

  it('has an owner and a purpose for service accounts, and a password for people', () => {
    const names = (isServiceAccount: boolean) =>
      fieldsOf('users', isServiceAccount).map(({ name }) => name)
    assert.deepEqual(names(true), [
      'name',
      'domain_id',
      'owner_id',
      'purpose',
      'default_project_id',
      'expires_at',
      'description',
    ])
    assert.ok(names(false).includes('password') && !names(false).includes('owner_id'))
  })

  it('starts a new policy with one rule', () => {
    assert.deepEqual(startValues(policies, undefined), { name: '', scope: '', rules: [newRule] })
  })

  it('sends nothing if nothing was changed', () => {
    const before = startValues(users, ada)
    assert.equal(toChanges(users, before, before), undefined)
  })

  it('sends only changed fields', () => {
    const before = startValues(users, ada)
    assert.deepEqual(toChanges(users, before, { ...before, email: 'ada@example.org' }), {
      email: 'ada@example.org',
    })
  })

  it('clears values that are not texts with null', () => {
    const before = startValues(users, ada)
    const after = { ...before, displayname: '', default_project_id: '', expires_at: '' }
    assert.deepEqual(toChanges(users, before, after), {
      displayname: '',
      default_project_id: null,
      expires_at: null,
    })
  })

  it('detects a change inside a rule', () => {
    const before = startValues(policies, { name: 'p', rules: [newRule] })
    const rules = [{ ...newRule, action: 'get' as const }]
    assert.deepEqual(toChanges(policies, before, { ...before, rules }), { rules })
  })
})
