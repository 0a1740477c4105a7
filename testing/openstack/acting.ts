import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { ActionError, type SourceCall } from '../../server/src/domain/sources/action-port.ts'
import { SourceError } from '../../server/src/domain/sources/source-error.ts'
import type { ReportedServer, SourceSettings } from '../../server/src/domain/sources/source.ts'
import { openstackKind } from '../../server/src/sources/openstack/openstack-kind.ts'
import { sendCall } from '../../server/src/testing/inventory-world/act-on-source.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'
import {
  conformanceContext,
  getReadable,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'

const referenceTo = (externalId: string, tenantId: string) => ({
  ...referTo(externalId, 'RegionOne'),
  tenantId,
})

export interface Acting {
  /** Sends one call through a connection of its own. */
  act(call: SourceCall, server: string, signal?: AbortSignal): Promise<void>
  /** Reads a server by the reading port; undefined if it does not exist. */
  read(server: string): Promise<ReportedServer | undefined>
  /** Waits until the reading port shows a status, and perhaps other fields. */
  shows(server: string, facts: Partial<ReportedServer['facts']>): Promise<void>
  /** Sends a call that must fail with an error of this kind, and returns its message. */
  refuses(call: SourceCall, server: string, kind: string, signal?: AbortSignal): Promise<string>
}

/** Acts on the servers of one project, and reads them, as Muster does. */
export function actWith(settings: SourceSettings, tenantId: string): Acting {
  const { acting } = openstackKind
  assert.ok(acting)

  async function act(call: SourceCall, server: string, signal = AbortSignal.timeout(60_000)) {
    const actor = await acting!.open(settings, conformanceContext, signal)
    try {
      await sendCall(actor, call, referenceTo(server, tenantId), signal)
    } finally {
      await actor.close()
    }
  }

  const read = (server: string) =>
    withSource(openstackKind, settings, (source) =>
      getReadable(source, referenceTo(server, tenantId)),
    )

  return {
    act,
    read,
    shows: (server, facts) =>
      withSource(openstackKind, settings, async (source) => {
        let shown: unknown
        const isShown = async () => {
          const found = await getReadable(source, referenceTo(server, tenantId))
          const seen: Readonly<Record<string, unknown>> = { ...found?.facts }
          shown = Object.fromEntries(Object.keys(facts).map((name) => [name, seen[name]]))
          return isDeepStrictEqual(shown, facts)
        }
        await eventually(JSON.stringify(facts), isShown, { deadline: 120 }).catch(
          (error: unknown) => {
            throw new Error(`${String(error)}; last seen: ${JSON.stringify(shown)}`)
          },
        )
      }),
    async refuses(call, server, kind, signal) {
      const error = await act(call, server, signal).then(
        () => assert.fail(`${call.kind} was accepted`),
        (reason: unknown) => reason,
      )
      assert.ok(error instanceof ActionError || error instanceof SourceError, String(error))
      const actual = error instanceof SourceError ? `source: ${error.kind}` : error.kind
      assert.equal(actual, kind, error.message)
      assert.ok(!error.message.includes('-password'), 'the message has a secret')
      return error.message
    },
  }
}
