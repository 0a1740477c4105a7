import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedOptions, startTexts, type Driver, type DriverField } from './option-values.ts'

const field = (name: string, changes: Partial<DriverField> = {}): DriverField => ({
  name,
  type: 'text',
  required: false,
  long: false,
  secret: false,
  description: '',
  default: '',
  choices: [],
  fixed: false,
  resend: false,
  ...changes,
})
const driver: Driver = {
  driver: 'ldap',
  title: '',
  description: '',
  features: [],
  options: [
    field('servers', { required: true, default: null }),
    field('nested', { type: 'boolean', default: true }),
    field('minutes', { type: 'integer', default: 60, choices: [0, 60] }),
    field('password', { secret: true }),
  ],
}

test('a new provider starts with the defaults, and sends what differs from them', () => {
  const start = startTexts(driver)
  assert.deepEqual(start, { servers: '', nested: 'true', minutes: '60', password: '' })
  assert.deepEqual(changedOptions(driver, start, start), {})
  const typed = { servers: 'ldaps://x', nested: 'false', minutes: '0', password: 'secret' }
  assert.deepEqual(changedOptions(driver, start, typed), {
    servers: 'ldaps://x',
    nested: false,
    minutes: 0,
    password: 'secret',
  })
})

test('a stored provider starts with its options, and an untouched secret is not sent', () => {
  const start = startTexts(driver, { servers: 'ldaps://x', nested: false, minutes: 0 })
  assert.deepEqual(start, { servers: 'ldaps://x', nested: 'false', minutes: '0', password: '' })
  assert.deepEqual(changedOptions(driver, start, { ...start, servers: '' }), { servers: '' })
})
