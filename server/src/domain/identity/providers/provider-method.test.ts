import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loginFailed } from '../../error.ts'
import type { ProviderDriver } from '../provider-driver.ts'
import { createProviderMethod } from './provider-method.ts'

test('REL-09: waiting for a turn is part of the 5 s that a login may take', async () => {
  let deadline = Infinity
  let turnAt = 0
  const driver: ProviderDriver = {
    names: ['cas', 'cas_ticket'],
    section: 'cas_ticket',
    label: 'CAS',
    title: 'CAS',
    description: '',
    options: {},
    test: async () => {},
    readClaims: () => assert.fail('no preview'),
    readCredential: () => ({ secret: 'ST-1', providerId: undefined }),
    async verify(_options, _secret, until = Infinity) {
      deadline = until
      throw loginFailed('CAS: no')
    },
  }
  const method = createProviderMethod(driver, {
    findProvider: async () => ({ id: 'idp', options: {} }) as never,
    decryptOptions: async () => ({}),
    provisionUser: () => assert.fail('the login failed'),
    verifyToken: async () => undefined,
    tokens: { useOnce: async () => true },
    loginLimit: { requireProviderLogin: () => {}, noteProviderLogin: () => {} },
    inTurn(_id, work) {
      turnAt = performance.now()
      return work()
    },
    clock: Date.now,
  })
  const origin = { ip: '192.0.2.1' } as never
  await assert.rejects(method.authenticate({} as never, origin, {} as never))
  assert.ok(deadline <= turnAt + 5_000, 'the time starts before the turn')
})
