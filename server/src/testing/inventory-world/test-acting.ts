import { eventually } from '../eventually.ts'
import assert from 'node:assert/strict'
import { ActionError, type SourceCall } from '../../domain/sources/action-port.ts'
import type {
  ReportedFacts,
  ServerReference,
  SourceContext,
  SourceKind,
  SourceSettings,
} from '../../domain/sources/source.ts'
import { sendCall } from './act-on-source.ts'
import { conformanceContext, getReadable, testTimeout, withSource } from './scan-source.ts'
import { test } from './timed-test.ts'

/** A back end with servers that may be changed. */
interface ActingBackEnd {
  readonly settings: SourceSettings
  readonly context?: SourceContext
  /** A running server that may be changed and deleted. */
  running(): Promise<ServerReference>
}

const statusAfter: Partial<Record<SourceCall['kind'], string>> = {
  start: 'running',
  stop: 'ready',
  restart: 'running',
  reset: 'running',
  suspend: 'suspend',
  resume: 'running',
}

/** Takes a server through the actions that a kind declares. Each must show when the server is read. */
export function testActing(kind: SourceKind, backEnd: () => ActingBackEnd): void {
  const { acting } = kind
  assert.ok(acting)
  const callsOf = (facts: ReportedFacts): readonly SourceCall[] => {
    const calls: Partial<Record<(typeof acting.actions)[number], readonly SourceCall[]>> = {
      suspend: [{ kind: 'suspend' }],
      resume: [{ kind: 'resume' }],
      restart: acting.restarts ? [{ kind: 'restart', isForced: false }] : [],
      reset: [{ kind: 'reset', isHard: true }],
      stop: [{ kind: 'stop', isForced: true }],
      'change-config': acting.resize?.fields.includes('vmem_size')
        ? [{ kind: 'resize', size: { vmem_size: (facts.vmem_size ?? 0) * 2 } }]
        : [],
      update: acting.updates?.includes('name')
        ? [{ kind: 'update', changes: { name: `renamed-${Date.now()}` } }]
        : [],
      start: [{ kind: 'start' }],
    }
    return Object.entries(calls).flatMap(([action, list]) =>
      acting.actions.some((some) => some === action) ? list : [],
    )
  }
  const expectedAfter = (call: SourceCall): Partial<ReportedFacts> => {
    const status = statusAfter[call.kind]
    return {
      ...(status !== undefined && { status }),
      ...(call.kind === 'resize' && call.size),
      ...(call.kind === 'update' && call.changes),
    }
  }

  void test('shows the result of every action, and a deleted server no longer', async () => {
    const { settings, context = conformanceContext, running } = backEnd()
    const reference = await running()
    const actor = await acting.open(settings, context, testTimeout())
    try {
      await withSource(
        kind,
        settings,
        async (source) => {
          const read = async () => (await getReadable(source, reference))?.facts
          const facts = await read()
          assert.equal(facts?.status, 'running')
          for (const call of callsOf(facts)) {
            await sendCall(actor, call, reference)
            const expected = Object.entries(expectedAfter(call))
            await eventually(`the result of ${call.kind}`, async () => {
              const now = await read()
              assert.ok(now, `${call.kind}: the server is gone`)
              const isReached = expected.every(
                ([name, value]) => now[name as keyof ReportedFacts] === value,
              )
              return isReached || undefined
            })
          }
          if (!acting.actions.includes('delete')) return
          const call = { kind: 'delete', disks: false, snapshots: false } as const
          await sendCall(actor, call, reference)
          await eventually('the deletion', async () => ((await read()) ? undefined : true))
        },
        context,
      )
      await assert.rejects(
        sendCall(actor, { kind: 'start' }, reference),
        (error) => error instanceof ActionError && error.kind === 'not-found',
      )
    } finally {
      await actor.close()
    }
  })
}
