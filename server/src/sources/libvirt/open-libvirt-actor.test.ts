import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { ActionError, type SourceCall } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { domain, openAt, passTimeLimit, uuidOf } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt, type FakeFault } from '../../testing/fake-libvirt.ts'
import { sendCall } from '../../testing/inventory-world/act-on-source.ts'
import { conformanceContext, scanAll } from '../../testing/inventory-world/scan-source.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'
import { libvirtActing } from './libvirt-acting.ts'
import { changingProcedures, procedures } from './protocol.ts'
import { createXdrWriter } from './xdr.ts'

const suspend: SourceCall = { kind: 'suspend' }
const { domainSuspend, domainResume, domainPmWakeup } = changingProcedures

async function openActor(
  context: TestContext,
  faults: Readonly<Record<number, FakeFault>>,
  timeLimit = conformanceContext.timeLimit,
) {
  const fake = await startFakeLibvirt(context, { domains: [domain(1)], faults })
  const settings = { address: fake.address, credentials: {}, options: {} }
  const world = { ...conformanceContext, timeLimit }
  const actor = await libvirtActing.open(settings, world, AbortSignal.timeout(10_000))
  context.after(() => actor.close())
  const act = (call: SourceCall, signal = AbortSignal.timeout(10_000)) =>
    sendCall(actor, call, referTo(uuidOf(1)), signal)
  const sent = (procedure: number) => fake.requests.filter((one) => one === procedure).length
  return { fake, actor, act, sent }
}

const done = { body: Buffer.alloc(0) }
const isKind = (kind: string) => (error: unknown) => {
  assert.ok(error instanceof ActionError, String(error))
  assert.equal(error.kind, kind)
  return true
}

describe('acting at libvirt', () => {
  test('the outcome is unknown without a usable answer, and nothing is sent twice', async (context) => {
    for (const fault of ['closed', 'garbage', 'truncated', 'huge', 'stranger'] as const) {
      const { act, sent } = await openActor(context, { [domainSuspend]: fault })
      await assert.rejects(act(suspend), isKind('outcome-unknown'))
      assert.equal(sent(domainSuspend), 1, fault)
    }
  })

  test('a call waits for its answer as long as the signal allows', async (context) => {
    const { fake, act, sent } = await openActor(context, { [domainSuspend]: 'silence' })
    const end = new AbortController()
    let isSettled = false
    // The limit of calls that read passes.
    const acting = await passTimeLimit(context, fake, domainSuspend, async () => {
      const acting = act(suspend, end.signal)
      const settle = () => (isSettled = true)
      void acting.then(settle, settle)
      return { acting }
    })
    assert.equal(isSettled, false)
    end.abort()
    await acting.acting
    assert.equal(sent(domainSuspend), 1)
  })

  test('without an answer, a call is under way only if the daemon answers another one', async (context) => {
    const reference = referTo(uuidOf(1))
    const request = { name: 'virDomainSuspend' }
    const silent = { [domainSuspend]: 'silence' } as const
    const alive = await openActor(context, silent)
    assert.equal(await alive.actor.send(request, reference, AbortSignal.timeout(200)), 'pending')
    const states = [
      [0, 0, 'pending'],
      [1, 0, 'working'],
      [2, 0, 'working'],
      // A monitor that does not answer, and a call that does not need it.
      [3, 2, 'pending'],
      [3, 3, 'working'],
    ] as const
    for (const [state, details, progress] of states) {
      const body = createXdrWriter().uint(state).uint(details).hyper(0n).finish()
      const told = await openActor(context, {
        ...silent,
        [procedures.domainGetControlInfo]: { body },
      })
      const sending = told.actor.send(request, reference, AbortSignal.timeout(200))
      assert.equal(await sending, progress)
      const source = await openAt(context, told.fake)
      const server = await source.get(reference, AbortSignal.timeout(10_000))
      assert.equal(server && 'facts' in server && server.isBusy, progress === 'working')
    }
    const faults = { ...silent, [procedures.connectGetLibVersion]: 'silence' } as const
    const dead = await openActor(context, faults, 100)
    const sending = dead.actor.send(request, reference, AbortSignal.timeout(200))
    await assert.rejects(sending, isKind('outcome-unknown'))
  })

  test('nothing was sent if the domain cannot be looked up', async (context) => {
    const lookUp = procedures.domainLookupByUuid
    const { act, sent } = await openActor(context, { [lookUp]: 'silence' }, 1_000)
    await assert.rejects(act(suspend), (error) => error instanceof SourceError)
    assert.equal(sent(domainSuspend), 0)
    const denied = await openActor(context, { [lookUp]: { error: 88 } })
    await assert.rejects(denied.act(suspend), isKind('denied'))
  })

  test('a guest that put itself to sleep is woken up', async (context) => {
    const states = [
      [7, domainPmWakeup],
      [3, domainResume],
    ] as const
    for (const [state, procedure] of states) {
      const body = Buffer.alloc(8)
      body.writeInt32BE(state)
      const faults = { [procedures.domainGetState]: { body }, [procedure]: done }
      const { act, sent } = await openActor(context, faults)
      await act({ kind: 'resume' })
      assert.equal(sent(procedure), 1)
    }
  })

  test('an older libvirt gets only the flags that it knows', async (context) => {
    const versionOf = (version: bigint) => {
      const body = Buffer.alloc(8)
      body.writeBigInt64BE(version)
      return { [procedures.connectGetLibVersion]: { body } }
    }
    const cases = [
      [4_000_000n, 1 | 2 | 8],
      [6_000_000n, 1 | 2 | 8 | 16],
      [9_000_000n, 1 | 2 | 8 | 16 | 64],
    ] as const
    for (const [version, flags] of cases) {
      const { fake, act } = await openActor(context, {
        ...versionOf(version),
        [changingProcedures.domainDestroy]: done,
        [changingProcedures.domainUndefineFlags]: done,
      })
      await act({ kind: 'delete', disks: false, snapshots: false })
      const body = fake.bodies.get(changingProcedures.domainUndefineFlags)
      assert.equal(body?.readUInt32BE(body.length - 4), flags)
    }
  })

  test('a connection that reads changes nothing', async (context) => {
    const { fake } = await openActor(context, {})
    const source = await openAt(context, fake)
    await scanAll(source)
    const changing = new Set<number>(Object.values(changingProcedures))
    assert.ok(!fake.requests.some((procedure) => changing.has(procedure)))
    const opened = fake.bodies.get(procedures.connectOpen)
    assert.equal(opened?.readUInt32BE(opened.length - 4), 1)
  })
})
