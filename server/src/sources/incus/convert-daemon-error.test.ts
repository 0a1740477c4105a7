import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ActionError } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { DaemonError, convertDaemonError } from './convert-daemon-error.ts'

const kindOf = (error: unknown, wasSent = true) => {
  const converted = convertDaemonError(error, wasSent)
  return converted instanceof ActionError ? converted.kind : undefined
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
      [500, 'Failed to run: forkstart', 'failed'],
    ] as const
    for (const [status, text, kind] of cases) {
      assert.equal(kindOf(new DaemonError(status, text)), kind, text)
    }
  })

  test('of the connection are of unknown outcome only after a request', () => {
    const lost = new SourceError('unreachable', 'The daemon closed the connection.')
    assert.equal(kindOf(lost, true), 'outcome-unknown')
    assert.equal(convertDaemonError(lost, false), lost)
    assert.equal(kindOf(new SourceError('forbidden', 'Not allowed.'), false), 'denied')
  })
})
