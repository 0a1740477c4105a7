import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { issuedCertificate, privateKey, testAuthority } from '../../testing/secure-server.ts'
import { checkSettings, readAddress } from './address.ts'
import { libvirtKind } from './libvirt-kind.ts'

const settings = (address: string, changes = {}) => ({
  address,
  credentials: {},
  options: {},
  ...changes,
})

describe('a libvirt address', () => {
  test('is a socket or a host', () => {
    const unix = { transport: 'unix', uri: 'qemu:///system' } as const
    const tls = { transport: 'tls', uri: 'qemu:///system' } as const
    assert.deepEqual(
      [
        'qemu+unix:///system',
        'qemu+unix:///system?socket=/run/a%20b/libvirt-sock',
        'test+unix:///default?socket=/x',
        'qemu+tls://kvm-1.example.org/system',
        'qemu+tls://kvm-1:443/system',
        'qemu+tls://10.0.0.7:1234/system',
        'qemu+tls://[2001:db8::1]/system',
      ].map(readAddress),
      [
        { ...unix, path: '/var/run/libvirt/libvirt-sock' },
        { ...unix, path: '/run/a b/libvirt-sock' },
        { transport: 'unix', uri: 'test:///default', path: '/x' },
        { ...tls, host: 'kvm-1.example.org', port: 16_514 },
        { ...tls, host: 'kvm-1', port: 443 },
        { ...tls, host: '10.0.0.7', port: 1_234 },
        { ...tls, host: '2001:db8::1', port: 16_514 },
      ],
    )
  })

  test('in another form is rejected with a reason', () => {
    const form = 'must be of the form qemu+unix:///system?socket=/path or qemu+tls://host/system'
    const problems: Readonly<Record<string, string>> = {
      '': form,
      'qemu:///system': form,
      'qemu+ssh://root@kvm-1/system': form,
      'qemu+tcp://kvm-1/system': form,
      'xen+unix:///system': form,
      'https://kvm-1/system': form,
      'qemu+tls://kvm-1:99999/system': form,
      'qemu+tls:///system': 'must name a host',
      'qemu+unix://kvm-1/system': 'must not name a host where a socket is meant',
      'qemu+unix:///embed': 'must end in /system or /session for qemu',
      'test+unix:///etc/passwd': 'must end in /default for test',
      'qemu+unix:///system?socket=libvirt-sock': 'must name a socket by its full path',
      'qemu+unix:///system?command=sh': 'may have the parameter socket only',
      'qemu+tls://kvm-1/system?no_verify=1': 'must have no parameters',
      'qemu+tls://me:secret@kvm-1/system': 'must not name a user',
      'qemu+unix:///system#x': 'must not have a fragment',
    }
    for (const [address, problem] of Object.entries(problems)) {
      assert.deepEqual(checkSettings(settings(address)), [{ path: 'address', problem }], address)
    }
  })

  test('has a host', () => {
    assert.equal(libvirtKind.hostOf(settings('qemu+tls://kvm-1/system')), 'kvm-1')
    assert.equal(libvirtKind.hostOf(settings('qemu+unix:///system')), undefined)
    assert.equal(libvirtKind.hostOf(settings('nonsense')), undefined)
  })
})

describe('libvirt settings', () => {
  const address = 'qemu+tls://kvm-1/system'

  test('are valid', () => {
    const credentials = {
      client_certificate: issuedCertificate,
      client_key: privateKey,
    }
    const fingerprint = Array.from({ length: 32 }, () => 'aB').join(':')
    const options = { ca: testAuthority, fingerprint, group: 'shop' }
    assert.deepEqual(checkSettings(settings(address, { credentials, options })), [])
  })

  test('have one problem each', () => {
    const credentials = { client_certificate: 'x' }
    const options = { ca: 'x', fingerprint: 'abcd', group: '' }
    assert.deepEqual(
      checkSettings(settings(address, { credentials, options })).map(({ path }) => path),
      [
        'credentials.client_certificate',
        'credentials.client_key',
        'options.ca',
        'options.fingerprint',
        'options.group',
      ],
    )
    assert.deepEqual(
      checkSettings(settings(address, { credentials: { client_key: privateKey } })),
      [{ path: 'credentials.client_certificate', problem: 'is needed with a client key' }],
    )
  })

  test('need a certificate with its key', () => {
    const mismatch = (client_key: string) =>
      checkSettings(
        settings(address, { credentials: { client_certificate: issuedCertificate, client_key } }),
      )
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    assert.deepEqual(mismatch(privateKey), [])
    assert.deepEqual(mismatch(other.export({ type: 'pkcs8', format: 'pem' })), [
      { path: 'credentials.client_key', problem: 'does not belong to the client certificate' },
    ])
    const cipher = { cipher: 'aes-256-cbc', passphrase: 'x' }
    const [locked] = mismatch(other.export({ type: 'pkcs8', format: 'pem', ...cipher }))
    assert.equal(locked?.path, 'credentials.client_key')
    assert.match(locked.problem, /passphrase/)
  })
})
