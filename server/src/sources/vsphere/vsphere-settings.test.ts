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
    'http://vc:8989',
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
    'ftp://vc',
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

test('rejects user names and passwords that cannot be sent', () => {
  for (const name of ['username', 'password']) {
    const { address, credentials, options } = settings('https://vc')
    const odd = { ...credentials, [name]: 'a\u0001b' }
    const problems = checkVSphereSettings({ address, credentials: odd, options })
    assert.deepEqual(
      problems.map(({ path }) => path),
      [`credentials.${name}`],
    )
  }
})
