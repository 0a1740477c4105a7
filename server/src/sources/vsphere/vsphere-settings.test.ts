import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVSphereSettings, readVSphereSettings } from './vsphere-settings.ts'

const settings = (address: string, options = {}) => ({
  address,
  credentials: { username: 'muster', password: 'secret' },
  options,
})
const problemsOf = (address: string) =>
  checkVSphereSettings(settings(address)).map(({ path }) => path)

test('accepts the address of a vCenter with or without /sdk', () => {
  for (const address of [
    'https://vc',
    'https://vc/',
    'https://vc:8443/sdk',
    'https://[::1]/sdk/',
  ]) {
    assert.deepEqual(problemsOf(address), [])
    assert.equal(readVSphereSettings(settings(address)).sdk.pathname, '/sdk')
  }
})

test('rejects other addresses, and a malformed fingerprint', () => {
  for (const address of [
    'vc',
    'http://vc',
    'https://me:secret@vc',
    'https://vc/ui',
    'https://vc/?a',
  ]) {
    assert.deepEqual(problemsOf(address), ['address'])
  }
  assert.deepEqual(
    checkVSphereSettings(settings('https://vc', { fingerprint: 'abc' })).map(({ path }) => path),
    ['options.fingerprint'],
  )
})
