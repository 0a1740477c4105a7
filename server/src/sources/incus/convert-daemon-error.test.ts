import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ActionError } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { DaemonError, toSentError } from './convert-daemon-error.ts'

const kindOf = (error: unknown) => {
  const converted = toSentError(error, 'start')
  assert.ok(converted instanceof ActionError)
  return converted.kind
}

describe('errors of actions at Incus', () => {
  test('have a kind by the status or by the text of the daemon', () => {
    const cases = [
      [404, 'Instance not found', 'not-found'],
      [403, 'Forbidden', 'denied'],
      [500, 'Certificate is restricted', 'denied'],
      [400, 'The instance is already running', 'conflict'],
      [500, 'Failed to create instance update operation: Instance is busy running', 'conflict'],
      [400, 'Instance is protected', 'conflict'],
      [500, 'Reached maximum aggregate value "1GiB" for "limits.memory"', 'quota'],
      [500, 'write /x: no space left on device', 'quota'],
      [501, '', 'unsupported'],
      [400, 'Invalid instance name', 'unsupported'],
      [400, 'Failed to run: forkstart', 'failed'],
      [500, 'Failed to run: forkstart', 'outcome-unknown'],
      [401, 'Login', 'denied'],
      [429, 'Slow down', 'failed'],
    ] as const
    for (const [status, text, kind] of cases) {
      assert.equal(kindOf(new DaemonError(status, text)), kind, text)
    }
  })

  test('say that nothing was done only after a login that ended, while busy and if throttled', () => {
    const retried = [
      [401, 'Login', true],
      [403, 'Forbidden', false],
      [429, 'Slow down', true],
      [400, 'Instance is busy running a "stop" operation', true],
      [500, 'Failed to create instance start operation: Instance is busy running a stop', true],
      [400, 'The instance is already running', false],
      [503, 'Unavailable', false],
    ] as const
    for (const [status, text, mayRetry] of retried) {
      const error = toSentError(new DaemonError(status, text), 'start')
      assert.ok(error instanceof ActionError)
      assert.equal(error.mayRetry, mayRetry, text)
      assert.match(error.message, new RegExp(`start with: ${text.slice(0, 5)}`))
    }
    const lost = new SourceError('unreachable', 'The daemon closed the connection.')
    assert.equal(kindOf(lost), 'outcome-unknown')
  })
})
