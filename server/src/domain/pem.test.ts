import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { issuedCertificate, privateKey, testAuthority } from '../testing/secure-server.ts'
import { certificatesProblem, isKeyOf, privateKeyProblem } from './pem.ts'

/** Keeps the markers and breaks what is between them. */
const damage = (pem: string) => pem.replaceAll(/^[^-].*$/gm, (line) => line.replaceAll('A', 'B'))
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
const cipher = { cipher: 'aes-256-cbc', passphrase: 'secret' } as const

describe('PEM', () => {
  test('certificates are accepted, also several and with comments', () => {
    for (const pem of [
      issuedCertificate,
      testAuthority + issuedCertificate,
      `# the authority of the lab\n${testAuthority}`,
      testAuthority.replaceAll('\n', '\r\n'),
    ]) {
      assert.equal(certificatesProblem(pem), undefined)
    }
  })

  test('invalid certificates are rejected with the reason', () => {
    const nothingElse = /certificates in PEM, and nothing else/
    for (const [pem, problem] of [
      ['', nothingElse],
      ['x', nothingElse],
      [privateKey, nothingElse],
      [testAuthority + privateKey, nothingElse],
      [testAuthority.slice(0, -30), nothingElse],
      [damage(testAuthority), /the certificate is damaged/],
      [testAuthority + damage(issuedCertificate), /certificate 2 is damaged/],
    ] as const) {
      assert.match(certificatesProblem(pem) ?? '', problem)
    }
  })

  test('unusable keys are rejected with the reason', () => {
    assert.equal(privateKeyProblem(privateKey), undefined)
    assert.equal(privateKeyProblem(rsa.export({ type: 'pkcs1', format: 'pem' })), undefined)
    for (const [pem, problem] of [
      ['', /must be a private key in PEM$/],
      [testAuthority, /must be a private key in PEM$/],
      [damage(privateKey), /damaged/],
      [privateKey.slice(0, 60), /damaged/],
      [rsa.export({ type: 'pkcs8', format: 'pem', ...cipher }), /passphrase/],
      [rsa.export({ type: 'pkcs1', format: 'pem', ...cipher }), /passphrase/],
    ] as const) {
      assert.match(privateKeyProblem(pem) ?? '', problem)
    }
  })

  test('a key belongs to the first certificate', () => {
    const foreign = rsa.export({ type: 'pkcs8', format: 'pem' })
    assert.ok(isKeyOf(issuedCertificate, privateKey))
    assert.ok(isKeyOf(issuedCertificate + testAuthority, privateKey))
    assert.ok(!isKeyOf(issuedCertificate, foreign))
  })
})
