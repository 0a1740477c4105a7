import { eventually } from '../eventually.ts'
import assert from 'node:assert/strict'
import {
  ActionError,
  type ActionErrorKind,
  type ServerActor,
  type SourceCall,
} from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type {
  ReportedServer,
  ServerReference,
  SourceKind,
  SourceSettings,
} from '../../domain/sources/source.ts'
import { requireNoSecret } from './require-no-secret.ts'
import { conformanceContext, getReadable, testTimeout, withSource } from './scan-source.ts'

/** Sends all requests of a call, and checks each. */
export async function sendCall(
  actor: ServerActor,
  call: SourceCall,
  reference: ServerReference,
  signal = testTimeout(),
): Promise<void> {
  for (const request of await actor.plan(call, reference, signal)) {
    // Tasks are stored.
    assert.deepEqual(JSON.parse(JSON.stringify(request)), request)
    await actor.send(request, reference, signal)
  }
}

/** Opens the connection that may change servers, sends the requests of one call and closes it. */
export async function actOn(
  kind: SourceKind,
  settings: SourceSettings,
  call: SourceCall,
  reference: ServerReference,
  signal = testTimeout(),
): Promise<void> {
  assert.ok(kind.acting)
  const actor = await kind.acting.open(settings, conformanceContext, signal)
  try {
    await sendCall(actor, call, reference, signal)
  } finally {
    await actor.close()
  }
}

/** Reads a server with a new connection until it is as expected, or gone. */
export async function readUntil(
  kind: SourceKind,
  settings: SourceSettings,
  reference: ServerReference,
  isReached: (server: ReportedServer | undefined) => boolean,
): Promise<ReportedServer | undefined> {
  return await withSource(kind, settings, async (source) => {
    const { server } = await eventually('the server shows the result of the action', async () => {
      const found = await getReadable(source, reference)
      return isReached(found) && { server: found }
    })
    return server
  })
}

/** The call must fail with this kind of `ActionError`, without a secret in its message. */
export const refusesAction = (
  action: Promise<void>,
  kind: ActionErrorKind,
  message: RegExp,
  settings: SourceSettings,
): Promise<void> =>
  assert.rejects(action, (error) => {
    assert.ok(error instanceof ActionError, String(error))
    assert.deepEqual([error.kind, message.test(error.message)], [kind, true], error.message)
    requireNoSecret(error.message, settings)
    return true
  })

/** The call must fail before it is sent. */
export const failsUnsent = (action: Promise<void>, kind: RegExp): Promise<void> =>
  assert.rejects(action, (error) => {
    assert.ok(error instanceof SourceError, String(error))
    assert.match(error.kind, kind)
    return true
  })
