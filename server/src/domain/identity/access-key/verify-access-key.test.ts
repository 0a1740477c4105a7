import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { describe, mock, test } from 'node:test'
import fc from 'fast-check'
import { PlatformError } from '../../error.ts'
import { signLikeMuster, signLikeCloudpods } from '../../../testing/sign-access-key.ts'
import { readAccessKeySecret, type SignedAccessKey } from './read-access-key-secret.ts'
import { verifySignature } from './verify-access-key.ts'
import { runsInLane } from '../../../testing/lanes.ts'

interface Vector {
  /** Who made the signature: the libraries of others, not ours. */
  readonly signer: string
  readonly secret: string
  readonly host: string
  readonly text: string
}

const fixture = new URL('../../../testing/fixtures/signed-access-keys.json', import.meta.url)
const vectors = JSON.parse(readFileSync(fixture, 'utf8')) as {
  readonly cloudpods: readonly Vector[]
  readonly own: readonly Vector[]
}

function readSigned(text: string): SignedAccessKey {
  const read = readAccessKeySecret(text)
  assert.ok(read.form === 'signed')
  return read
}

const minute = 60_000
const now = Date.UTC(2027, 0, 31, 12, 0, 0)
const signer = { accessKey: '0'.repeat(32), secret: 'the secret', now, host: 'muster.example' }
const nonce = 'once-and-never-again'

const forms = {
  'Cloudpods form': (choice: object = {}) => signLikeCloudpods({ ...signer, ...choice }),
  "Muster's own form": (choice: object = {}) => signLikeMuster({ ...signer, nonce, ...choice }),
}

const verify = (text: string, at = now) =>
  verifySignature(readSigned(text), signer.secret, at, signer.host)

function refuses(text: string, reason: RegExp, at = now): void {
  const verdict = verify(text, at)
  assert.ok(!verdict.isValid, text)
  assert.match(verdict.reason, reason)
}

/** The text with some of its members changed after signing. */
const alter = (text: string, changes: object) =>
  JSON.stringify({ ...(JSON.parse(text) as object), ...changes })

describe('a signature by the library of another', () => {
  for (const { signer, secret, host, text } of [...vectors.cloudpods, ...vectors.own]) {
    const signed = readSigned(text)
    test(`holds: ${signer}, for ${host}`, () => {
      const verdict = verifySignature(signed, secret, signed.signDate, host)
      assert.deepEqual(verdict, {
        isValid: true,
        isUnique: text.includes('nonce'),
      })
      const other = verifySignature(signed, `${secret}x`, signed.signDate, host)
      assert.deepEqual(other, {
        isValid: false,
        reason: 'unknown key, or not signed with its secret',
      })
    })
  }

  test('is what our tests make', () => {
    for (const { secret, host, text } of vectors.cloudpods) {
      const { accessKey, location, signDate } = readSigned(text)
      assert.equal(signLikeCloudpods({ accessKey, secret, now: signDate, host, location }), text)
    }
    for (const { secret, host, text } of vectors.own) {
      const { accessKey, location, signDate, headers } = readSigned(text)
      const nonce = headers?.['x-muster-nonce'] ?? ''
      const made = signLikeMuster({ accessKey, secret, now: signDate, host, location, nonce })
      assert.deepEqual(JSON.parse(made), JSON.parse(text))
    }
  })

  // The example of Amazon's own documentation of Signature Version 4 for S3.
  test('holds as published', () => {
    const signDate = Date.UTC(2013, 4, 24)
    const published: SignedAccessKey = {
      form: 'signed',
      accessKey: 'AKIAIOSFODNN7EXAMPLE',
      algorithm: 'AWS4-HMAC-SHA256',
      location: 'us-east-1',
      signDate,
      signedHeaders: ['host', 'range', 'x-amz-content-sha256', 'x-amz-date'],
      request: [
        'AWS4-HMAC-SHA256',
        '20130524T000000Z',
        '20130524/us-east-1/s3/aws4_request',
        '7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972',
      ].join('\n'),
      signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    }
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
    assert.ok(verifySignature(published, secret, signDate, 'muster.example').isValid)
  })
})

for (const [name, sign] of Object.entries(forms)) {
  describe(`a signature in ${name}`, () => {
    test('SEC-30: holds for five minutes of clocks that differ, either way, and no longer', () => {
      for (const drift of [-5 * minute, -1, 0, 1, 5 * minute]) {
        assert.ok(verify(sign(), now + drift).isValid, String(drift))
      }
      for (const drift of [-5 * minute - 1, 5 * minute + 1, 60 * minute, -24 * 60 * minute]) {
        refuses(sign(), /too long ago/, now + drift)
      }
    })

    test('SEC-30: is for the day on which it was signed', () => {
      const text = sign()
      const { request } = readSigned(text)
      for (const day of ['20270130', '20270201', '20280131']) {
        const moved = request.replace('20270131/', `${day}/`)
        refuses(alter(text, { request: moved }), /string to sign/)
        refuses(sign({ day }), /string to sign/)
      }
    })

    test('SEC-30: has one date, however often it says it', () => {
      const text = sign()
      const { request } = readSigned(text)
      refuses(alter(text, { sign_date: '2027-01-31T12:00:01.000000Z' }), /string to sign/)
      const later = request.replace('T120000Z', 'T120001Z')
      refuses(alter(text, { request: later }), /string to sign/)
      refuses(sign({ now: now - 10 * minute }), /too long ago/)
    })

    test('SEC-32: is for no other service, algorithm or location', () => {
      const text = sign()
      const { request } = readSigned(text)
      refuses(sign({ service: 'sts' }), /string to sign/)
      refuses(alter(text, { location: 'elsewhere' }), /string to sign/)
      for (const algorithm of ['AWS', 'AWS4-HMAC-SHA1', 'aws4-hmac-sha256']) {
        refuses(alter(text, { algorithm }), /algorithm/)
        const other = request.replace('AWS4-HMAC-SHA256', algorithm)
        refuses(alter(text, { request: other }), /string to sign/)
      }
    })

    test('is spelled in one way', () => {
      const text = sign()
      const { signature } = readSigned(text)
      const spellings = [
        signature.toUpperCase(),
        ` ${signature}`,
        `${signature} `,
        `0x${signature}`,
        signature.slice(1),
        signature.slice(0, -2),
        signature + signature,
      ]
      for (const spelling of spellings) refuses(alter(text, { signature: spelling }), /not signed/)
    })

    test('SEC-32: does not survive a change of a single character', () => {
      const text = sign()
      const positions = listSignedCharacters(text)
      assert.ok(positions.length > 200)
      const character = fc.oneof(
        fc.string({ minLength: 1, maxLength: 1 }),
        fc.constantFrom('0', 'a', 'A', '\n', '/'),
      )
      fc.assert(
        fc.property(fc.constantFrom(...positions), character, ({ member, at }, character) => {
          const altered = overwrite(text, member, at, character)
          fc.pre(altered !== text)
          assert.ok(!isTaken(altered), altered)
        }),
        { numRuns: runsInLane(3_000) },
      )
    })
  })
}

type Signed = Record<string, unknown> & { headers?: Record<string, string> }

interface Position {
  readonly member: string
  readonly at: number
}

/** Every character that the signature covers. It does not cover the access key, whose secret it is made with. */
function listSignedCharacters(text: string): Position[] {
  const { headers, signed_headers: _names, access_key: _key, ...rest } = JSON.parse(text) as Signed
  const members = Object.entries({ ...rest, ...headers } as Record<string, string>)
  const positions = members.flatMap(([member, value]) =>
    Array.from(value, (_character, at) => ({ member, at })),
  )
  // The fraction of the second is not in the signature.
  return positions.filter(({ member, at }) => member !== 'sign_date' || at < 19)
}

function overwrite(text: string, member: string, at: number, character: string): string {
  const signed = JSON.parse(text) as Signed
  const holder = member in signed ? signed : (signed.headers ?? {})
  const value = holder[member] as string
  holder[member] = value.slice(0, at) + character + value.slice(at + 1)
  return JSON.stringify(signed)
}

/** Whether it passes both: what cannot be a signed request is not even compared. */
function isTaken(text: string): boolean {
  try {
    return verify(text).isValid
  } catch (error) {
    assert.ok(error instanceof PlatformError && error.status === 400)
    return false
  }
}

describe("Muster's own form", () => {
  const sign = forms["Muster's own form"]

  test('SEC-32: is for no other host, path or method', () => {
    refuses(sign({ host: 'other.example' }), /another host/)
    refuses(sign({ host: 'muster.example:443' }), /another host/)
    refuses(sign({ path: '/v3/users' }), /string to sign/)
    refuses(sign({ path: '/v3/auth/tokens/' }), /string to sign/)
    refuses(sign({ method: 'GET' }), /string to sign/)
  })

  test('SEC-32: is for no other moment or content than the headers say', () => {
    refuses(sign({ headers: { 'x-amz-date': '20270131T120001Z' } }), /another host/)
    const content = 'f'.repeat(64)
    refuses(sign({ headers: { 'x-amz-content-sha256': content } }), /another host/)
  })

  test('SEC-32: is not for this host because it says so', () => {
    const text = sign({ host: 'other.example' })
    const { headers } = readSigned(text)
    const relabelled = alter(text, { headers: { ...headers, host: 'muster.example' } })
    refuses(relabelled, /string to sign/)
  })

  test('SEC-31: is held to single use by its nonce, and cannot drop it', () => {
    const verdict = verify(sign())
    assert.ok(verdict.isValid && verdict.isUnique)
    const cloudpods = verify(forms['Cloudpods form']())
    assert.ok(cloudpods.isValid && !cloudpods.isUnique)

    const { headers: _headers, ...rest } = JSON.parse(sign()) as Record<string, unknown>
    assert.ok(!isTaken(JSON.stringify(rest)))
  })
})

test('SEC-21: takes the same work whatever is wrong, and for a decoy as for a secret', () => {
  const text = forms['Cloudpods form']()
  const signed = readSigned(text)
  const verifications = [
    () => verifySignature(signed, signer.secret, now, signer.host),
    () => verifySignature(signed, 'a decoy', now, signer.host),
    () => verifySignature(signed, signer.secret, now + 60 * minute, signer.host),
    () => verify(alter(text, { algorithm: 'AWS' })),
    () => verify(alter(text, { location: 'elsewhere' })),
    () => verify(alter(text, { signature: 'none' })),
  ]
  const hmac = mock.method(crypto, 'createHmac')
  syncBuiltinESMExports()
  const counts = verifications.map((verification) => {
    hmac.mock.resetCalls()
    verification()
    return hmac.mock.callCount()
  })
  hmac.mock.restore()
  syncBuiltinESMExports()
  assert.deepEqual(counts, [5, 5, 5, 5, 5, 5])
})
