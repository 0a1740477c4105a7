import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createAddressRule } from './allowed-addresses.ts'
import { AddressNotAllowed, lookupFrom, resolveAllowed } from './resolve-addresses.ts'

const open = { address: '8.8.8.8', family: 4 }
const local = { address: '127.0.0.1', family: 4 }

describe('the addresses of a host', () => {
  const resolve = (host: string, addresses: readonly (typeof open)[], allowed: string[] = []) =>
    resolveAllowed(host, createAddressRule(allowed), async () => addresses)

  test('are all returned, so that nobody resolves them again', async () => {
    const other = { address: '2606:4700:4700::1111', family: 6 }
    assert.deepEqual(await resolve('a.example', [open, other]), [open, other])
  })

  test('must all be allowed, unless the name is', async () => {
    for (const addresses of [[local], [open, local], [local, open]]) {
      await assert.rejects(resolve('a.example', addresses), AddressNotAllowed)
      assert.deepEqual(await resolve('a.example', addresses, ['a.example']), addresses)
      assert.deepEqual(await resolve('a.example', addresses, ['127.0.0.1']), addresses)
    }
    await assert.rejects(resolve('a.example', []), /a\.example has no address/)
  })

  test('are not looked up for an address', async () => {
    assert.deepEqual(await resolve('8.8.8.8', [local]), [open])
    await assert.rejects(resolve('127.0.0.1', [open]), AddressNotAllowed)
    const six = { address: '2606:4700:4700::1111', family: 6 }
    assert.deepEqual(await resolve(six.address, [local]), [six])
  })

  test('are what a connection looks up, one or all', () => {
    const told: unknown[] = []
    for (const all of [true, false]) {
      lookupFrom([open, local])('a.example', { all }, (...answer) => told.push(answer))
    }
    assert.deepEqual(told, [
      [null, [open, local]],
      [null, '8.8.8.8', 4],
    ])
  })
})
