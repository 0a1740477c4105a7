import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { ActionSupport, SourceCall } from '../../server/src/domain/sources/action-port.ts'
import { SourceError } from '../../server/src/domain/sources/source-error.ts'
import type {
  ReportedServer,
  ScanPage,
  SourceContext,
  SourceSettings,
  SourceUpdate,
} from '../../server/src/domain/sources/source.ts'
import {
  createHttpClient,
  type HttpClient,
  type HttpResponse,
} from '../../server/src/sources/shared/http-client.ts'
import {
  conformanceContext,
  getReadable,
  requireServer,
  scanAll,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'
import { startExample, type ExampleSimulator } from './example-cloud.ts'
import { loadExample } from './load-example.ts'

const { kind, folder } = await loadExample()
const load = async <Module>(file: string): Promise<Module> => await import(join(folder, file))
const soon = () => AbortSignal.timeout(20_000)

describe('the example in docs/adding-a-source.md', () => {
  let cloud: ExampleSimulator
  let settings: SourceSettings
  before(async () => {
    cloud = await startExample()
    for (const state of ['on', 'off', 'odd']) await cloud.create(state, { state })
    await cloud.createMany(447)
    settings = { address: cloud.url, credentials: { token: cloud.token }, options: {} }
  })
  after(() => {
    rmSync(folder, { recursive: true })
    cloud.close()
  })

  test('reports all servers over several pages', async () => {
    assert.deepEqual(kind.check(settings), [])
    const seen = await withSource(kind, settings, scanAll)
    assert.equal(seen.size, cloud.size())
    const statuses = new Set([...seen.values()].map((one) => requireServer(one, 'Example').status))
    assert.deepEqual(statuses, new Set(['running', 'ready', 'unknown']))
  })

  test('reports one server, and that another does not exist', async () => {
    await withSource(kind, settings, async (source) => {
      const get = (id: string) => source.get(referTo(id), AbortSignal.timeout(5_000))
      const found = await get('m-000002')
      assert.ok(found && 'facts' in found)
      assert.equal(found.facts.status, 'ready')
      assert.equal(await get('m-999999'), undefined)
    })
  })

  test('reports a wrong token and a wrong address', async () => {
    const open = (given: SourceSettings) => withSource(kind, given, scanAll)
    await assert.rejects(open({ ...settings, credentials: { token: 'x' } }), {
      kind: 'credentials',
    })
    await assert.rejects(open({ ...settings, address: 'http://127.0.0.1:1' }), {
      kind: 'unreachable',
    })
    assert.equal(kind.check({ ...settings, address: 'ftp://x' }).length, 1)
  })

  test('reports changes and deletions by events, and that the stream was cut', async () => {
    const { watchMachines } = await load<{
      watchMachines: (
        settings: SourceSettings,
        context: SourceContext,
        read: (id: string) => Promise<ReportedServer | undefined>,
        stop: AbortSignal,
      ) => AsyncGenerator<SourceUpdate, undefined>
    }>('watch-machines.ts')
    await withSource(kind, settings, async (source) => {
      const read = (id: string) => getReadable(source, referTo(id))
      const end = new AbortController()
      const updates = watchMachines(settings, conformanceContext, read, end.signal)
      const next = async () => (await updates.next()).value
      assert.deepEqual(await next(), { present: [], gone: [] })
      const id = await cloud.create('changes')
      await cloud.stop(id)
      const changed = await next()
      assert.deepEqual(
        changed?.present.map(({ facts }) => [facts.name, facts.status]),
        [['changes', 'ready']],
      )
      await cloud.remove(id)
      assert.deepEqual(await next(), { present: [], gone: [['example', id]] })
      const cut = assert.rejects(next(), { kind: 'unreachable' })
      cloud.cutEvents()
      await cut
    })
  })

  test('acts with jobs: waits for them, reports how they end, and finds them again', async () => {
    const { exampleActing } = await load<{ exampleActing: ActionSupport }>('example-acting.ts')
    const actor = await exampleActing.open(settings, conformanceContext, soon())
    const reference = referTo(await cloud.create('acts'))
    const { externalId: id } = reference
    const plan = (call: SourceCall) => actor.plan(call, reference, soon())
    try {
      assert.deepEqual(await plan({ kind: 'start' }), [])
      await assert.rejects(plan({ kind: 'suspend' }), { kind: 'unsupported' })
      const [stop] = await plan({ kind: 'stop', isForced: false })
      assert.ok(stop)
      assert.equal(await actor.check?.(stop, reference, soon()), 'idle')
      assert.equal(await actor.send(stop, reference, AbortSignal.timeout(1_000)), 'working')
      await assert.rejects(actor.send(stop, reference, soon()), {
        kind: 'conflict',
        mayRetry: true,
      })
      assert.equal(cloud.jobsOf(id).length, 1)
      cloud.endJob(id)
      assert.equal(await actor.check?.(stop, reference, soon()), true)

      // The job of the first request must not be taken for that of the second.
      const [again] = await plan({ kind: 'stop', isForced: false })
      assert.ok(again)
      assert.equal(await actor.check?.(again, reference, soon()), 'idle')
      const failed = assert.rejects(actor.send(again, reference, soon()), {
        kind: 'failed',
        message: 'disk on fire',
      })
      await eventually('the second job', () => cloud.jobsOf(id)[1])
      cloud.endJob(id, 'disk on fire')
      await failed
    } finally {
      await actor.close()
    }
  })

  test('scans regions alone: one that fails is reported, and all that fail throw', async () => {
    const { scanRegions } = await load<{
      scanRegions: (
        regions: readonly string[],
        scanRegion: (region: string) => AsyncGenerator<ScanPage>,
        stop: AbortSignal,
      ) => AsyncGenerator<ScanPage>
    }>('scan-regions.ts')
    const scan = async (broken: readonly string[]) => {
      async function* scanRegion(region: string): AsyncGenerator<ScanPage> {
        if (broken.includes(region)) throw new SourceError('unreachable', `${region} is down.`)
        yield {
          present: [{ key: ['example', region], facts: { name: region, status: 'running' } }],
          gone: [],
        }
      }
      return await Array.fromAsync(scanRegions(['east', 'west'], scanRegion, soon()))
    }
    const pages = await scan(['west'])
    assert.deepEqual(pages[0]?.regions, ['east', 'west'])
    assert.deepEqual(
      pages.flatMap(({ present }) => present.map(({ key }) => key[1])),
      ['east'],
    )
    assert.deepEqual(
      pages.flatMap(({ failed = [] }) => failed.map(({ region }) => region)),
      ['west'],
    )
    await assert.rejects(scan(['east', 'west']), { kind: 'unreachable' })
  })

  test('renews tokens before they expire and after they were revoked, with one login', async () => {
    const { createSession } = await load<{
      createSession: (
        http: HttpClient,
        settings: SourceSettings,
        clock: () => number,
      ) => (path: string, stop: AbortSignal) => Promise<HttpResponse>
    }>('create-session.ts')
    const http = createHttpClient(conformanceContext)
    let now = 0
    const send = createSession(http, settings, () => now)
    const sendThree = async (logins: number) => {
      const responses = await Promise.all([1, 2, 3].map(() => send('/machines', soon())))
      assert.deepEqual(
        responses.map(({ status }) => status),
        [200, 200, 200],
      )
      assert.equal(cloud.logins(), logins)
    }
    try {
      await sendThree(1)
      now = 79_000
      await sendThree(1)
      now = 81_000
      await sendThree(2)
      cloud.revokeSessions()
      await sendThree(3)
    } finally {
      http.close()
    }
  })
})
