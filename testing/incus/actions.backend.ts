import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  ActionError,
  type ActionErrorKind,
  type SourceCall,
} from '../../server/src/domain/sources/action-port.ts'
import type { ReportedFacts, SourceSettings } from '../../server/src/domain/sources/source.ts'
import { incusActing } from '../../server/src/sources/incus/incus-acting.ts'
import { incusKind } from '../../server/src/sources/incus/incus-kind.ts'
import {
  actOn,
  failsUnsent,
  readUntil,
  refusesAction,
  sendCall,
} from '../../server/src/testing/inventory-world/act-on-source.ts'
import { startFaultProxy } from '../../server/src/testing/inventory-world/fault-proxy.ts'
import {
  conformanceContext,
  testTimeout,
} from '../../server/src/testing/inventory-world/scan-source.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'
import { testActing } from '../../server/src/testing/inventory-world/test-acting.ts'
import { isNightly } from '../../server/src/testing/lanes.ts'
import { localSettings, trustedClient } from './clients.ts'
import { startIncus, type TestIncus } from './start.ts'

const remove: SourceCall = { kind: 'delete', disks: true, snapshots: true }
const switchOff: SourceCall = { kind: 'stop', isForced: true }
for (const product of ['incus', 'lxd'] as const) {
  describe(`actions on the instances of a real ${product}`, () => {
    let incus: TestIncus
    before(async () => {
      incus = await startIncus({ product })
    })
    after(() => incus.stop())

    const settings = () => localSettings(incus)
    const reference = (id: string, tenantId = 'default') => ({ ...referTo(id), tenantId })
    const act = (call: SourceCall, id: string) => actOn(incusKind, settings(), call, reference(id))
    const waitForFacts = async (id: string, isSo: (facts?: ReportedFacts) => boolean) => {
      const isReached = (server?: { facts: ReportedFacts }) => isSo(server?.facts)
      return (await readUntil(incusKind, settings(), referTo(id), isReached))?.facts
    }
    const readFacts = (id: string) => waitForFacts(id, () => true)
    const becomes = (id: string, status: string) =>
      waitForFacts(id, (facts) => facts?.status === status)
    const refuses = (id: string, call: SourceCall, kind: ActionErrorKind, message = /./) =>
      refusesAction(act(call, id), kind, message, settings())
    const open = (at: SourceSettings) => incusActing.open(at, conformanceContext, testTimeout())
    const init = async (name: string, ...args: readonly string[]) => {
      await incus.run('init', 'busybox', name, '--quiet', ...args)
      return await incus.uuidOf(name)
    }

    testActing(incusKind, () => ({
      settings: settings(),
      running: async () => referTo(await incus.launch('any', '--config', 'limits.memory=64MiB')),
    }))

    test('tells apart why it does not act', async () => {
      const running = await incus.launch('running')
      const stopped = await init('stopped')
      await refuses('00000000-0000-4000-8000-000000000000', { kind: 'start' }, 'not-found')
      await refuses(running, { kind: 'start' }, 'conflict', /already running/)
      await refuses(running, { kind: 'resume' }, 'conflict', /already running/)
      await refuses(stopped, { kind: 'suspend' }, 'conflict', /isn't running/)
      await refuses(stopped, switchOff, 'conflict', /already stopped/)
      await refuses(stopped, { kind: 'stop', isForced: false }, 'conflict', /already stopped/)
      await refuses(stopped, { kind: 'reset', isHard: false }, 'conflict', /already stopped/)
      const rename = (name: string): SourceCall => ({ kind: 'update', changes: { name } })
      await refuses(running, rename('other'), 'conflict', /not allowed/)
      await refuses(stopped, rename('running'), 'conflict', /in use/)
      await refuses(stopped, rename('a b'), 'unsupported', /name/)
      await refuses(running, { kind: 'restart', isForced: false }, 'unsupported')
    })

    // LXD has the rest at night: only its errors are known to differ.
    if (product === 'lxd' && !isNightly) return

    /** A starting instance refuses other operations. */
    const stopsWhenStarted = async (id: string) => {
      await becomes(id, 'running')
      const stop = () => act(switchOff, id).then(() => true)
      await eventually('the end of a start', () => stop().catch(() => undefined))
      await becomes(id, 'ready')
    }

    test('stops an instance by asking it, and starts, suspends, resumes and resets it', async () => {
      const id = await incus.launch('polite')
      await act({ kind: 'stop', isForced: false }, id)
      await becomes(id, 'ready')
      await act({ kind: 'start' }, id)
      await becomes(id, 'running')
      await act({ kind: 'suspend' }, id)
      await becomes(id, 'suspend')
      await act({ kind: 'resume' }, id)
      await becomes(id, 'running')
      const process = async () => /PID: (\d+)/i.exec(await incus.run('info', 'polite'))?.[1]
      const before = await process()
      assert.ok(before)
      await act({ kind: 'reset', isHard: true }, id)
      assert.notEqual(await process(), before)
      await becomes(id, 'running')
      await act(switchOff, id)
      await becomes(id, 'ready')
    })

    test('starts an instance right after its stop, as often as it is restarted', async () => {
      const id = await incus.launch('restless')
      const actor = await open(settings())
      const start = () =>
        sendCall(actor, { kind: 'start' }, referTo(id)).then(
          () => true,
          (error: unknown) => {
            // The end of the stop is still under way: nothing was done.
            assert.ok(error instanceof ActionError && error.mayRetry, String(error))
            return undefined
          },
        )
      for (let count = 0; count < 12; count += 1) {
        await sendCall(actor, { kind: 'stop', isForced: false }, referTo(id))
        await becomes(id, 'ready')
        await eventually('the start', start)
        await becomes(id, 'running')
      }
      await actor.close()
    })

    test('shows by the time of the last start whether a reset was carried out', async () => {
      const id = await incus.launch('proven')
      const actor = await open(settings())
      const [reset] = await actor.plan({ kind: 'reset', isHard: true }, referTo(id), testTimeout())
      assert.ok(reset)
      assert.equal(await actor.check?.(reset, referTo(id), testTimeout()), false)
      await actor.send(reset, referTo(id), testTimeout())
      assert.equal(await actor.check?.(reset, referTo(id), testTimeout()), true)
      await actor.close()
    })

    test('switches an instance off that does not react', async () => {
      // Its init ignores this signal.
      const id = await incus.launch('deaf', '--config', 'raw.lxc=lxc.signal.halt = SIGCONT')
      await act({ kind: 'stop', isForced: false }, id)
      assert.equal((await readFacts(id))?.status, 'running')
      await act(switchOff, id)
      await becomes(id, 'ready')
    })

    test('renames and protects a stopped instance, and finds it by its UUID', async () => {
      const id = await init('old-name')
      await act({ kind: 'update', changes: { name: 'new-name', disable_delete: true } }, id)
      await waitForFacts(id, (facts) => facts?.name === 'new-name' && facts.disable_delete === true)
      await refuses(id, remove, 'conflict', /protected/)
      await act({ kind: 'update', changes: { disable_delete: false } }, id)
      await act(remove, id)
      assert.equal(await readFacts(id), undefined)
    })

    test('resizes an instance while it runs', async () => {
      const id = await incus.launch('grows')
      await act({ kind: 'resize', size: { vcpu_count: 1, vmem_size: 300 } }, id)
      const facts = await waitForFacts(
        id,
        (found) => found?.vcpu_count === 1 && found.vmem_size === 300,
      )
      assert.equal(facts?.status, 'running')
    })

    test('deletes a running instance with its snapshots, and keeps custom volumes', async () => {
      const id = await incus.launch('doomed')
      await incus.run('storage', 'volume', 'create', 'default', 'data')
      const disk = ['disk', 'pool=default', 'source=data', 'path=/data']
      await incus.run('config', 'device', 'add', 'doomed', 'data', ...disk)
      await incus.run(
        'query',
        '--request=POST',
        '--wait',
        '--data={"name":"one"}',
        '/1.0/instances/doomed/snapshots',
      )
      await act(remove, id)
      assert.equal(await readFacts(id), undefined)
      assert.match(await incus.run('storage', 'volume', 'list', 'default', '--format=csv'), /data/)
    })

    test('an instance that is lost when it stops says so, and can be deleted', async () => {
      const id = await incus.launch('ephemeral', '--ephemeral')
      const facts = await becomes(id, 'running')
      assert.match(facts?.notes?.['lost_on_stop'] ?? '', /ephemeral/)
      await act(remove, id)
      await waitForFacts(id, (found) => found === undefined)
    })

    test('tells that a limit of the project is exceeded, and that a project is not allowed', async () => {
      for (const project of ['red', 'blue']) {
        const own = ['features.images=false', 'features.profiles=false']
        await incus.run('project', 'create', project, ...own.flatMap((one) => ['--config', one]))
      }
      const limits = ['--config', 'limits.memory=64MiB']
      await incus.run('init', 'busybox', 'small', '--quiet', '--project', 'red', ...limits)
      await incus.run('project', 'set', 'red', 'limits.memory=100MiB')
      const id = await incus.uuidOf('small', 'red')
      const limited = await trustedClient(incus, `limited-${product}`, ['red'])
      const actLimited = (call: SourceCall) => actOn(incusKind, limited, call, reference(id, 'red'))
      await actLimited({ kind: 'start' })
      await becomes(id, 'running')
      const resize: SourceCall = { kind: 'resize', size: { vmem_size: 200 } }
      await refusesAction(actLimited(resize), 'quota', /100MiB/, limited)
      await incus.limitTrust('limited', ['blue'])
      await refusesAction(actLimited(switchOff), 'denied', /red/, limited)
      assert.equal((await readFacts(id))?.status, 'running')
    })

    test('the outcome is unknown if the response or the result does not arrive', async (context) => {
      const id = await init('unsure')
      const proxy = await startFaultProxy(context, {
        upstream: incus.address.replace('unix://', 'unix:'),
      })
      const through = { ...settings(), address: proxy.url }
      const start = () => actOn(incusKind, through, { kind: 'start' }, reference(id))
      const isUncertain = (action: Promise<void>) =>
        refusesAction(action, 'outcome-unknown', /no usable answer to (?:start|stop)/, through)
      const isPut = ({ method }: { method: string }) => method === 'PUT'
      const faults = ['close', 'close in body', { status: 502, body: '<html>' }] as const
      for (const fault of faults) {
        proxy.inject(fault, isPut)
        const sent = proxy.requests.filter(isPut).length
        await isUncertain(start())
        assert.equal(proxy.requests.filter(isPut).length, sent + 1)
        proxy.clear()
        if (fault !== 'close in body') assert.equal((await readFacts(id))?.status, 'ready')
        else await stopsWhenStarted(id)
      }
      proxy.inject({ status: 404, body: '{"type":"error","error_code":404}' }, ({ path }) =>
        path.startsWith('/1.0/operations/'),
      )
      await isUncertain(start())
      await becomes(id, 'running')
      proxy.inject('hang', isPut)
      const actor = await open(through)
      await isUncertain(sendCall(actor, switchOff, referTo(id), AbortSignal.timeout(3_000)))
      await actor.close()
    })

    test('nothing was sent if the daemon is gone before', async () => {
      const id = await init('unasked')
      const actor = await open(settings())
      await incus.kill()
      const start: SourceCall = { kind: 'start' }
      await failsUnsent(sendCall(actor, start, referTo(id)), /^unreachable$/)
      await actor.close()
      await failsUnsent(act(start, id), /^unreachable$/)
      await incus.restart()
      await becomes(id, 'ready')
    })
  })
}
