import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CloudAccount, CloudProvider } from '@muster/contract'
import { ApiError } from '@muster/sdk'
import fc from 'fast-check'
import { checkAccount, checkSettings, problemsFrom } from './account-problems.ts'
import {
  areSame,
  emptyValues,
  toChanges,
  toNewAccount,
  toTest,
  valuesOf,
  wayToTest,
  type AccountValues,
} from './account-values.ts'

const field = (name: string, type: 'text' | 'integer' | 'boolean' | 'list', required = false) => ({
  name,
  type,
  required,
  long: false,
  secret: false,
  description: '',
})

const provider: CloudProvider = {
  provider: 'Cloud',
  title: 'A cloud',
  description: '',
  address: { required: true, description: '', example: 'https://cloud' },
  credentials: [field('user', 'text', true), field('token', 'text')],
  options: [
    field('regions', 'list'),
    field('size', 'integer'),
    field('deep', 'boolean'),
    field('group', 'text'),
  ],
  rights: [],
  actions: ['start'],
  action_rights: [],
  period: 30,
  events: false,
}

const account: CloudAccount = {
  id: 'a1',
  name: 'prod',
  provider: 'Cloud',
  brand: 'Cloud',
  address: 'https://cloud.example.org',
  options: { regions: ['north', 'south'], size: 7, deep: false, group: 'g' },
  project_id: 'p1',
  period: 60,
  disappearance_hold: null,
  enabled: true,
  access: 'observe',
  max_actions: 10,
  request_timeout: 20,
  mapping: [],
  status: 'connected',
  servers: 3,
  created_at: '2026-05-04T08:00:00.000000Z',
  sync: {
    state: 'idle',
    started_at: null,
    finished_at: null,
    duration_ms: 0,
    seen: 0,
    created: 0,
    changed: 0,
    gone: 0,
    error: '',
    error_field: '' as const,
    failing_since: null,
    warnings: [],
    next_at: null,
  },
}

const change = (values: AccountValues, settings: Partial<AccountValues['settings']>) => ({
  ...values,
  settings: { ...values.settings, ...settings },
})

describe('a new account', () => {
  it('contains the typed values with the type of each option, without empty ones', () => {
    const values = change(
      { ...emptyValues(provider), name: ' prod ', projectId: 'p1' },
      {
        address: ' https://cloud ',
        credentials: { user: ' me ', token: '' },
        options: { regions: 'north\n\n south \n', size: ' 12 ', deep: 'false', group: '' },
      },
    )
    assert.deepEqual(toNewAccount(provider, values), {
      name: 'prod',
      provider: 'Cloud',
      project_id: 'p1',
      address: 'https://cloud',
      // A blank may be part of a secret.
      credentials: { user: ' me ' },
      options: { regions: ['north', 'south'], size: 12, deep: false },
    })
    assert.equal(toNewAccount(provider, { ...values, period: '45' }).period, 45)
    const { name: _name, project_id: _project, ...tried } = toNewAccount(provider, values)
    assert.deepEqual(toTest(provider, values.settings), tried)
  })

  it('needs a name, a project, an address and the required credentials', () => {
    const problems = checkAccount(provider, emptyValues(provider), false)
    assert.deepEqual(Object.keys(problems), ['name', 'project_id', 'address', 'credentials.user'])
  })

  it('validates integer options', () => {
    const values = { ...emptyValues(provider), name: 'n', projectId: 'p' }
    const at = (period: string, size: string) =>
      Object.entries(
        checkAccount(
          provider,
          change(
            { ...values, period },
            { address: 'x', credentials: { user: 'u' }, options: { size } },
          ),
          false,
        ),
      ).map(([path, { kind }]) => `${path} ${kind}`)
    assert.deepEqual(at('', ''), [])
    assert.deepEqual(at('5', '-3'), [])
    assert.deepEqual(at('4', '1.5'), ['period period', 'options.size integer'])
    assert.deepEqual(at('86401', '9007199254740993'), ['period period', 'options.size integer'])
  })
})

describe('a changed account', () => {
  it('changes nothing if nothing was typed', () => {
    const values = valuesOf(provider, account)
    assert.deepEqual(toChanges(provider, valuesOf(provider, account), values), {})
    assert.deepEqual(checkAccount(provider, values, true), {})
    assert.ok(areSame(values, valuesOf(provider, account)))
  })

  it('contains only changed fields', () => {
    const values = { ...valuesOf(provider, account), name: 'live', period: '90' }
    assert.deepEqual(toChanges(provider, valuesOf(provider, account), values), {
      name: 'live',
      period: 90,
    })
    const more = change(values, { options: { ...values.settings.options, size: '' } })
    assert.deepEqual(toChanges(provider, valuesOf(provider, account), more).options, {
      regions: ['north', 'south'],
      deep: false,
      group: 'g',
    })
    assert.ok(!areSame(values, more))
  })

  it('may limit the time of a request, from 1 to 300 seconds', () => {
    const start = valuesOf(provider, account)
    for (const requestTimeout of ['', '0', '301', 'x']) {
      const problems = checkAccount(provider, { ...start, requestTimeout }, true)
      assert.deepEqual(problems, { request_timeout: { kind: 'requestTimeout' } }, requestTimeout)
    }
    const slower = { ...start, requestTimeout: '60' }
    assert.deepEqual(toChanges(provider, start, slower), { request_timeout: 60 })
    assert.equal(toNewAccount(provider, slower).request_timeout, 60)
    assert.equal(toNewAccount(provider, emptyValues(provider)).request_timeout, undefined)
  })

  it('may allow actions, at most 100 at once', () => {
    const start = valuesOf(provider, account)
    const values: AccountValues = { ...start, access: 'manage', maxActions: '3' }
    assert.deepEqual(toChanges(provider, start, values), { access: 'manage', max_actions: 3 })
    assert.deepEqual(checkAccount(provider, values, true), {})
    for (const maxActions of ['', '0', '101', 'x']) {
      const problems = checkAccount(provider, { ...values, maxActions }, true)
      assert.deepEqual(problems, { max_actions: { kind: 'maxActions' } }, maxActions)
    }
    const fresh = { ...emptyValues(provider), access: 'manage' as const, maxActions: '5' }
    const { access, max_actions } = toNewAccount(provider, fresh)
    assert.deepEqual({ access, max_actions }, { access: 'manage', max_actions: 5 })
  })

  it('does not overwrite changes by others since the form was opened', () => {
    const start = valuesOf(provider, account)
    const mine = { ...start, name: 'live' }
    const theirs = { ...account, period: 300, address: 'https://moved' }
    const changes = toChanges(provider, start, mine)
    assert.deepEqual({ ...theirs, ...changes }, { ...theirs, name: 'live' })
  })

  it('keeps its credentials unless some are typed; then all required ones must be typed', () => {
    const values = valuesOf(provider, account)
    const half = change(values, { credentials: { user: '', token: 't' } })
    assert.deepEqual(Object.keys(checkSettings(provider, half.settings, true)), [
      'credentials.user',
    ])
    const typed = change(values, { credentials: { user: 'u', token: '' } })
    assert.deepEqual(toChanges(provider, valuesOf(provider, account), typed), {
      credentials: { user: 'u' },
    })
    const none = change(values, { forgetsCredentials: true })
    assert.deepEqual(toChanges(provider, valuesOf(provider, account), none), { credentials: {} })
  })

  it('is tested as stored, as typed, or not without credentials', () => {
    const { settings } = valuesOf(provider, account)
    assert.equal(wayToTest(provider, settings, settings), 'stored')
    const elsewhere = { ...settings, address: 'https://other' }
    assert.equal(wayToTest(provider, settings, elsewhere), 'secret')
    const typed = { ...elsewhere, credentials: { user: 'u', token: '' } }
    assert.equal(wayToTest(provider, settings, typed), 'typed')
    assert.equal(wayToTest({ ...provider, credentials: [] }, settings, elsewhere), 'typed')
  })

  it('keeps its options through the form', () => {
    const word = fc.stringMatching(/^[\w.-]([\w .,-]*[\w.-])?$/)
    const options = fc.record(
      {
        regions: fc.array(word, { minLength: 1 }),
        size: fc.integer(),
        deep: fc.boolean(),
        group: word,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(options, (given) => {
        const result = toTest(provider, valuesOf(provider, { ...account, options: given }).settings)
        assert.deepEqual({ ...result.options }, { ...given })
      }),
    )
  })
})

describe('API field errors', () => {
  it('are shown at their field; the first error wins', () => {
    assert.deepEqual(
      problemsFrom(
        new ApiError({
          class: 'InputParameterError',
          status: 400,
          details: 'No.',
          requestId: 'req-1',
          fields: [
            { path: 'cloudaccount.name', problem: 'is taken' },
            { path: 'cloudaccount.options.regions.3', problem: 'must be a string' },
            { path: 'cloudaccount.options.regions', problem: 'is too long' },
            { path: 'cloudaccount.credentials', problem: 'must be given again' },
          ],
        }),
      ),
      {
        name: { kind: 'api', text: 'is taken' },
        'options.regions': { kind: 'api', text: 'must be a string' },
        credentials: { kind: 'api', text: 'must be given again' },
      },
    )
  })
})
