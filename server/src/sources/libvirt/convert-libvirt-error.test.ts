import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ActionError } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { LibvirtError } from './records.ts'
import { convertLibvirtError } from './convert-libvirt-error.ts'

const kindOf = (code: number, message = '', origin = 10) => {
  const error = convertLibvirtError(new LibvirtError(code, origin, message), 'virDomainCreate')
  assert.ok(error instanceof ActionError)
  return error.kind
}

describe('errors of actions at libvirt', () => {
  test('have a kind by libvirt’s code', () => {
    const expected = {
      'not-found': [42],
      conflict: [28, 55, 68, 83, 87],
      unsupported: [3, 8, 67, 74, 84],
      denied: [29, 45, 79, 88, 94],
      quota: [2],
      failed: [1, 9, 38],
    }
    for (const [kind, codes] of Object.entries(expected)) {
      for (const code of codes) assert.equal(kindOf(code), kind, String(code))
    }
    assert.equal(kindOf(1, 'cannot set up guest memory: Cannot allocate memory'), 'quota')
    assert.equal(kindOf(38, 'cannot write: No space left on device'), 'quota')
  })

  test('are of unknown outcome if a daemon in between lost the one that acts', () => {
    assert.equal(kindOf(1, 'client socket is closed', 7), 'outcome-unknown')
    assert.equal(kindOf(38, 'Cannot recv data: Connection reset by peer', 7), 'outcome-unknown')
    assert.equal(kindOf(39, 'unknown procedure: 358', 7), 'unsupported')
  })

  test('say that nothing was done while another call holds the domain', () => {
    for (const [message, mayRetry] of [
      ['Timed out: cannot acquire state change lock (held by monitor)', true],
      ['Timed out: the guest agent does not answer', false],
    ] as const) {
      const error = convertLibvirtError(new LibvirtError(68, 10, message), 'virDomainSuspend')
      assert.ok(error instanceof ActionError)
      assert.deepEqual([error.kind, error.mayRetry], ['conflict', mayRetry])
    }
  })

  test('of the connection are of unknown outcome only after a request', () => {
    const lost = new SourceError('unreachable', 'libvirt closed the connection.')
    assert.equal(convertLibvirtError(lost, undefined), lost)
    const unknown = convertLibvirtError(lost, 'virDomainCreate')
    assert.ok(unknown instanceof ActionError)
    assert.equal(unknown.kind, 'outcome-unknown')
  })
})
