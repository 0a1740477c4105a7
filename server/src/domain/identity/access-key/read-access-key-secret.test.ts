import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PlatformError } from '../../error.ts'
import { signLikeMuster, signLikeCloudpods } from '../../../testing/sign-access-key.ts'
import { readAccessKeySecret } from './read-access-key-secret.ts'

const field = 'auth.identity.access_key_secret'

/** It is a 400 that names the field, and does not repeat what may be a secret. */
function refuses(text: string): void {
  assert.throws(
    () => readAccessKeySecret(text),
    (error) => {
      assert.ok(error instanceof PlatformError, String(error))
      assert.equal(error.status, 400)
      assert.equal(error.fields?.[0]?.path, field)
      assert.ok(!error.message.includes(secret))
      return true
    },
    text,
  )
}

const secret = 'keep-this-to-yourself'
const accessKey = 'a'.repeat(32)
const now = Date.UTC(2027, 0, 31, 12, 0, 7)
const signer = { accessKey, secret, now, host: 'muster.example' }
const nonce = 'once-and-never-again'

type Members = Record<string, unknown>
const cloudpods = () => JSON.parse(signLikeCloudpods(signer)) as Members
const own = () => JSON.parse(signLikeMuster({ ...signer, nonce })) as Members & { headers: Members }
const refusesMembers = (members: Members) => refuses(JSON.stringify(members))

describe('access_key_secret in plain', () => {
  test('is an AccessKey, a colon and a secret', () => {
    const read = readAccessKeySecret(`${accessKey}:${secret}`)
    assert.deepEqual(read, { form: 'plain', accessKey, secret })
  })

  test('is split at the first colon', () => {
    const read = readAccessKeySecret('key:se:cret:')
    assert.deepEqual(read, { form: 'plain', accessKey: 'key', secret: 'se:cret:' })
  })

  test('needs both, in characters that a key can have', () => {
    const texts = ['', ':', 'key', 'key:', `:${secret}`, `key\n:${secret}`, `key:${secret}\0`]
    for (const text of texts) refuses(text)
    for (const text of [`ключ:${secret}`, `key:${secret}\u{1F511}`, `[]:${secret}\n`]) refuses(text)
    refuses(`${'k'.repeat(256)}:${secret}`)
    refuses(`key:${secret.padEnd(256, 'x')}`)
  })
})

describe('access_key_secret as a signed request', () => {
  test("is read in Cloudpods' form", () => {
    const { request, signature } = cloudpods()
    assert.deepEqual(readAccessKeySecret(signLikeCloudpods(signer)), {
      form: 'signed',
      accessKey,
      algorithm: 'AWS4-HMAC-SHA256',
      location: 'cn-beijing',
      signDate: now,
      signedHeaders: ['date', 'host', 'x-amz-content-sha256', 'x-amz-date'],
      request,
      signature,
    })
  })

  test("is read in Muster's own form, with the values that were signed", () => {
    const read = readAccessKeySecret(signLikeMuster({ ...signer, nonce }))
    assert.ok(read.form === 'signed')
    assert.equal(read.headers?.host, 'muster.example')
    assert.equal(read.headers?.['x-muster-nonce'], nonce)
  })

  test('is an object in JSON', () => {
    const text = signLikeCloudpods(signer)
    for (const broken of ['{', '{}', '{"access_key"}', text.slice(0, -1), `${text}{`, `${text},`]) {
      refuses(broken)
    }
    for (const other of [`[${text}]`, `"${text}"`, ` ${text}`, `\uFEFF${text}`]) refuses(other)
  })

  test('is of a length that a signed request can have', () => {
    const text = signLikeCloudpods(signer)
    assert.equal(readAccessKeySecret(text.padEnd(4_096)).form, 'signed')
    refuses(text.padEnd(4_097))
  })

  test('has every member', () => {
    for (const make of [cloudpods, own]) {
      for (const name of Object.keys(make())) {
        const { [name]: _taken, ...rest } = make()
        refusesMembers(rest)
      }
    }
  })

  test('has no other member', () => {
    for (const name of ['Algorithm', 'secret', 'signed_header', 'constructor', 'toString', '']) {
      refusesMembers({ ...cloudpods(), [name]: 'x' })
    }
    refuses(signLikeCloudpods(signer).replace('{', '{"__proto__":{"location":"x"},'))
  })

  test('has texts for members, and no other type', () => {
    const names = ['access_key', 'algorithm', 'location', 'request', 'sign_date', 'signature']
    for (const name of names) {
      const value = cloudpods()[name]
      for (const other of [null, 0, 1, true, '', [], [value], {}, { value }]) {
        refusesMembers({ ...cloudpods(), [name]: other })
      }
      for (const character of ['\0', '\u{1F511}', '\uD800']) {
        refusesMembers({ ...cloudpods(), [name]: `${String(value)}${character}` })
      }
    }
    refusesMembers({ ...cloudpods(), access_key: 'k'.repeat(256) })
    refusesMembers({ ...cloudpods(), location: 'a/b' })
  })

  test('has four lines to sign, the last a hash', () => {
    const lines = String(cloudpods()['request']).split('\n')
    const hash = lines[3] ?? ''
    const wrong = [
      lines.slice(0, 3),
      lines.slice(1),
      [...lines, ''],
      ['', ...lines],
      [...lines.slice(0, 3), ''],
      [...lines.slice(0, 3), hash.toUpperCase()],
      [...lines.slice(0, 3), hash.slice(1)],
      [...lines.slice(0, 3), `${hash}0`],
    ]
    for (const request of wrong) refusesMembers({ ...cloudpods(), request: request.join('\n') })
    refusesMembers({ ...cloudpods(), request: lines.join('\r\n') })
  })

  test('has a date, whose second counts', () => {
    for (const date of ['2027-01-31T12:00:07Z', '2027-01-31T12:00:07.9Z']) {
      const read = readAccessKeySecret(JSON.stringify({ ...cloudpods(), sign_date: date }))
      assert.ok(read.form === 'signed')
      assert.equal(read.signDate, now)
    }
    const wrong = [
      '2027-02-29T12:00:00Z',
      '2027-02-30T12:00:00.000000Z',
      '2027-13-01T12:00:00Z',
      '2027-01-31T24:00:00Z',
      '2027-01-31T12:00:60Z',
      '2027-01-31T12:00:00',
      '2027-01-31T12:00:00+00:00',
      '2027-01-31 12:00:00Z',
      '20270131T120000Z',
      '2027-01-31T12:00:00.Z',
      '+012027-01-31T12:00:00Z',
      '1801396800000',
      'now',
    ]
    for (const date of wrong) refusesMembers({ ...cloudpods(), sign_date: date })
  })

  test('has names of headers, in lower case', () => {
    const wrong = [null, 'host', {}, [], [''], [1], ['host', null], ['Host'], ['a b'], [['host']]]
    for (const names of [...wrong, Array.from({ length: 65 }, () => 'host')]) {
      refusesMembers({ ...cloudpods(), signed_headers: names })
    }
  })

  test('has headers with the nonce, and the nonce with headers', () => {
    const { headers, signed_headers: names } = own()
    refusesMembers({ ...cloudpods(), headers })
    refusesMembers({ ...cloudpods(), headers: {} })
    refusesMembers({ ...cloudpods(), headers: null })
    refusesMembers({ ...cloudpods(), signed_headers: names })
    refusesMembers({ ...own(), signed_headers: cloudpods()['signed_headers'] })
  })

  test('has with the nonce the headers that are signed, all of them and no more', () => {
    const { headers, signed_headers: names } = own()
    const list = names as string[]
    for (const name of Object.keys(headers)) {
      const { [name]: _taken, ...rest } = headers
      refusesMembers({ ...own(), headers: rest })
      refusesMembers({ ...own(), headers: { ...rest, date: 'today' } })
      refusesMembers({ ...own(), signed_headers: list.filter((other) => other !== name) })
      for (const value of [null, 1, '', 'two\nlines', ['x'], 'x'.repeat(256)]) {
        refusesMembers({ ...own(), headers: { ...headers, [name]: value } })
      }
    }
    refusesMembers({ ...own(), headers: { ...headers, date: 'today' } })
    refusesMembers({ ...own(), headers: Object.values(headers) })
    refusesMembers({ ...own(), signed_headers: list.toReversed() })
    refusesMembers({ ...own(), signed_headers: [...list, 'x-muster-nonce'] })
    for (const short of ['123456789012345', '1234567890123456 ', 'x'.repeat(129)]) {
      refusesMembers({ ...own(), headers: { ...headers, 'x-muster-nonce': short } })
    }
  })
})
