import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Server } from '@muster/contract'
import { Value } from 'typebox/value'
import { buildServer } from '../../domain/inventory/build-server.ts'
import { derivedId } from '../../domain/sources/derived-id.ts'
import { securityRuleForm } from '../../domain/sources/security-rules.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type {
  ReportedServer,
  ServerReference,
  Source,
  SourceKind,
  SourceUpdate,
  SourceSettings,
  SourceContext,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { createAddressRule } from '../../egress/allowed-addresses.ts'
import { createEgress } from '../../egress/egress.ts'
import { requireNamedResources, scanResources } from './resource-conformance.ts'
import { referenceOf } from './server-reference.ts'

/** A back end, and how to change it with its own tools. */
export interface SourceBackEnd {
  readonly settings: SourceSettings
  /** The same back end, asked by somebody whom it does not let in; absent where everybody is. */
  readonly wrongSettings?: SourceSettings
  /** Something that never answers at this back end's kind of address. */
  readonly unreachableSettings: SourceSettings
  /**
   * Makes one server such that it cannot be read; absent where nobody knows how. Answers the settings
   * to see it by.
   */
  breakOne?(): Promise<SourceSettings>
  /** Makes a running server of this name and answers its `external_id`. */
  create(name: string): Promise<string>
  stop(externalId: string): Promise<void>
  start(externalId: string): Promise<void>
  remove(externalId: string): Promise<void>
}

export const conformanceContext: SourceContext = {
  egress: createEgress(createAddressRule(['127.0.0.0/8', '::1', 'localhost'])),
  throttle: async () => {},
  timeLimit: 10_000,
  clock: Date.now,
}

const patience = () => AbortSignal.timeout(60_000)
const keyOf = ({ key }: Pick<ReportedServer, 'key'>) => derivedId('server', ...key)

/** All servers of a source in one list. */
export async function scanAll(source: Source): Promise<Map<string, ReportedServer>> {
  const seen = new Map<string, ReportedServer>()
  for await (const { present, gone, unreadable = [] } of source.scan(patience())) {
    assert.deepEqual(unreadable, [], 'every server here can be read')
    for (const server of present) {
      assert.ok(!seen.has(keyOf(server)), `${server.facts.name} is told twice`)
      seen.set(keyOf(server), server)
    }
    for (const key of gone) assert.ok(!seen.has(derivedId('server', ...key)))
  }
  return seen
}

/** One server as the source describes it now: it must be readable, or not there. */
export async function lookReadable(
  source: Source,
  reference: ServerReference,
): Promise<ReportedServer | undefined> {
  const server = await source.get(reference, patience())
  if (!server || 'facts' in server) return server
  throw new Error(`${server.name} could not be read: ${server.reason}`)
}

/** Opens a source for as long as it is used. */
export async function withSource<Answer>(
  kind: SourceKind,
  settings: SourceSettings,
  use: (source: Source) => Promise<Answer>,
): Promise<Answer> {
  const source = await kind.open(settings, conformanceContext, patience())
  try {
    return await use(source)
  } finally {
    await source.close()
  }
}

/** A server as the API would show it, held against the contract. */
export function requireServer({ facts }: ReportedServer, provider: string): Server {
  const server = buildServer(
    {
      provider,
      ...facts,
      id: derivedId('server', 'x'),
      project_id: 'project',
      account_id: 'account',
    },
    {
      domainId: 'domain',
      managerDomainId: '',
      ownTags: {},
      createdAt: '2026-01-01T00:00:00.000000Z',
      updateVersion: 0,
      updatedAt: '2026-01-01T00:00:00.000000Z',
    },
  )
  const errors = Value.Errors(Server, server)
  assert.deepEqual(errors, [], `${server.name} is not as the contract says`)
  for (const rules of [server.security_rules, server.admin_security_rules]) {
    for (const rule of rules === '' ? [] : rules.split(';')) assert.match(rule, securityRuleForm)
  }
  return server
}

async function waitFor<Answer>(
  look: () => Promise<Answer | undefined> | Answer | undefined,
  what: string,
): Promise<Answer> {
  const end = Date.now() + 30_000
  while (Date.now() < end) {
    const answer = await look()
    if (answer !== undefined) return answer
    await pause(50)
  }
  throw new Error(`${what} did not come about`)
}

/** What a source has to hold of whatever it shows, whether or not anybody can change that. */
export function testReading(
  kind: SourceKind,
  backEnd: () => Pick<SourceBackEnd, 'settings' | 'breakOne'>,
): void {
  const openAnd = <Answer>(use: (source: Source) => Promise<Answer>) =>
    withSource(kind, backEnd().settings, use)

  void test('its settings pass its own check', () => {
    assert.deepEqual(kind.check(backEnd().settings), [])
  })

  void test('says who it is', () => openAnd(async ({ title }) => assert.notEqual(title, '')))

  void test('tells every server once, each as the contract has it', async () => {
    for (const server of (await openAnd(scanAll)).values()) requireServer(server, kind.provider)
  })

  void test('says the same again while nothing changes', async () => {
    const first = await openAnd(scanAll)
    await pause(1_500)
    const second = await openAnd(scanAll)
    assert.ok(first.size > 0)
    assert.deepEqual([...second.keys()].sort(), [...first.keys()].sort())
    for (const [id, server] of second) assert.deepEqual(server, first.get(id))
  })

  void test('reports every host, network, region and zone that a server names', () =>
    openAnd(async (source) => {
      const resources = await scanResources(source, patience())
      requireNamedResources((await scanAll(source)).values(), resources)
      assert.deepEqual(await scanResources(source, patience()), resources)
    }))

  void test('looks at one server as it does at all', () =>
    openAnd(async (source) => {
      for (const server of (await scanAll(source)).values()) {
        assert.deepEqual(await source.get(referenceOf(server), patience()), server)
      }
    }))

  void test('knows that a server is not there', () =>
    openAnd(async (source) => {
      const [some] = (await scanAll(source)).values()
      assert.ok(some)
      const reference = referenceOf(some)
      const never = reference.externalId.replaceAll(/[0-9a-f]/g, '9')
      assert.equal(await source.get({ ...reference, externalId: never }, patience()), undefined)
    }))

  void test('reports a server that cannot be read, and describes all others', async (context) => {
    const { breakOne } = backEnd()
    if (!breakOne) return context.diagnostic('no server can be made unreadable here')
    const before = await openAnd(scanAll)
    await withSource(kind, await breakOne(), async (source) => {
      const present = new Map<string, ReportedServer>()
      const unreadable: UnreadableServer[] = []
      for await (const page of source.scan(patience())) {
        for (const server of page.present) present.set(keyOf(server), server)
        unreadable.push(...(page.unreadable ?? []))
      }
      const [broken, ...more] = unreadable
      assert.ok(broken && more.length === 0, 'one server, told once')
      assert.notEqual(broken.reason, '')
      const known = before.get(keyOf(broken))
      assert.ok(known, 'its key is the one by which it was known')
      assert.equal(broken.name, known.facts.name)
      before.delete(keyOf(broken))
      assert.deepEqual([...present.keys()].sort(), [...before.keys()].sort())
      assert.deepEqual(await source.get(referenceOf(known), patience()), broken)
    })
  })

  void test('ends when it is told to', () =>
    openAnd(async (source) => {
      const scan = source.scan(AbortSignal.abort())
      await assert.rejects(async () => {
        for await (const page of scan) void page
      })
    }))
}

/**
 * What every source has to hold, against a back end that Muster did not write. What only some kinds
 * have (their fields, their faults) is tested beside them.
 */
export function describeConformance(kind: SourceKind, backEnd: () => SourceBackEnd): void {
  const openAnd = <Answer>(use: (source: Source) => Promise<Answer>) =>
    withSource(kind, backEnd().settings, use)
  const find = (seen: ReadonlyMap<string, ReportedServer>, externalId: string) =>
    [...seen.values()].find(({ facts }) => facts.external_id === externalId)
  const requireFound = (
    seen: ReadonlyMap<string, ReportedServer>,
    externalId: string,
  ): ReportedServer => {
    const server = find(seen, externalId)
    assert.ok(server, `${externalId} is not told of`)
    return server
  }

  void describe(`conformance: ${kind.title}`, () => {
    testReading(kind, backEnd)

    void test('tells of a server that was made just now', async () => {
      const name = `conformance-${Date.now()}`
      const id = await backEnd().create(name)
      const made = requireServer(requireFound(await openAnd(scanAll), id), kind.provider)
      assert.equal(made.name, name)
      assert.ok(made.vcpu_count > 0 && made.vmem_size > 0)
      assert.notEqual(made.hypervisor, '')
      await backEnd().remove(id)
    })

    void test('keeps the key of a server that stops, starts and goes', async () => {
      const back = backEnd()
      const id = await back.create(`life-${Date.now()}`)
      const running = requireFound(await openAnd(scanAll), id)
      assert.equal(running.facts.status, 'running')
      await back.stop(id)
      const stopped = await waitFor(async () => {
        const server = requireFound(await openAnd(scanAll), id)
        return server.facts.status === 'ready' ? server : undefined
      }, 'that it is stopped')
      assert.deepEqual(stopped.key, running.key)
      await back.start(id)
      await waitFor(async () => {
        const server = requireFound(await openAnd(scanAll), id)
        return server.facts.status === 'running' ? server : undefined
      }, 'that it runs again')
      await back.remove(id)
      await waitFor(
        async () => (find(await openAnd(scanAll), id) ? undefined : true),
        'that it is gone',
      )
      assert.equal(
        await openAnd((source) => source.get(referenceOf(running), patience())),
        undefined,
      )
    })

    void test('keeps names as they are, whatever they are made of', async () => {
      const name = `Jörg <b> & "x" 服务器 ${Date.now()}`
      const id = await backEnd().create(name)
      assert.equal(requireFound(await openAnd(scanAll), id).facts.name, name)
      await backEnd().remove(id)
    })

    void test('says in its own words what it cannot reach', async () => {
      const { unreachableSettings } = backEnd()
      await assert.rejects(
        withSource(kind, unreachableSettings, scanAll),
        (error) => error instanceof SourceError && /unreachable|timeout/.test(error.kind),
      )
    })

    void test('says that it was not let in, and gives no secret away', async (context) => {
      const { wrongSettings } = backEnd()
      if (!wrongSettings) return context.diagnostic('everybody is let in here')
      await assert.rejects(withSource(kind, wrongSettings, scanAll), (error) => {
        assert.ok(error instanceof SourceError)
        assert.match(error.kind, /credentials|tls/)
        for (const secret of Object.values(wrongSettings.credentials)) {
          assert.ok(!error.message.includes(secret))
        }
        return true
      })
    })

    if (kind.hasEvents) {
      void test('tells of changes by itself', async () => {
        const back = backEnd()
        const source = await kind.open(back.settings, conformanceContext, patience())
        const end = new AbortController()
        const told: SourceUpdate[] = []
        assert.ok(source.watch)
        const updates = source.watch(end.signal)[Symbol.asyncIterator]()
        await updates.next()
        const listening = (async () => {
          for (let next = await updates.next(); !next.done; next = await updates.next()) {
            told.push(next.value)
          }
        })().catch(() => {})
        const lastOf = (id: string) =>
          told.flatMap(({ present }) => present).findLast(({ facts }) => facts.external_id === id)
        const id = await back.create(`watched-${Date.now()}`)
        const made = await waitFor(() => lastOf(id), 'the update of its making')
        await back.stop(id)
        await waitFor(
          () => (lastOf(id)?.facts.status === 'ready' ? true : undefined),
          'the update of its stop',
        )
        await back.remove(id)
        await waitFor(
          () =>
            told.flatMap(({ gone }) => gone).some((key) => key.join() === made.key.join()) ||
            undefined,
          'the update of its end',
        )
        end.abort()
        await listening
        await source.close()
      })
    }
  })
}
