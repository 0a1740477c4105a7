import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ScanPage, SourceSettings } from '../../server/src/domain/sources/source.ts'
import { SourceError } from '../../server/src/domain/sources/source-error.ts'
import { incusKind } from '../../server/src/sources/incus/incus-kind.ts'
import {
  conformanceContext,
  describeConformance,
  scanAll,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { referenceOf } from '../../server/src/testing/inventory-world/server-reference.ts'
import { localSettings, trustedClient, unknownClient } from './clients.ts'
import { startIncus, type TestIncus } from './start.ts'

/** An error as the daemon sends it. */
const daemonError = (status: number, error: string) => ({
  status,
  body: JSON.stringify({ type: 'error', error_code: status, error, metadata: null }),
})

describe('a real Incus', () => {
  let incus: TestIncus
  let trusted: SourceSettings
  /** Names by UUID, of running containers. */
  const names = new Map<string, string>()
  before(async () => {
    incus = await startIncus()
    trusted = await trustedClient(incus, 'muster')
    await incus.launch('resident')
  })
  after(() => incus.stop())

  const nameOf = (uuid: string) => names.get(uuid) ?? ''

  async function create(name: string, ...args: readonly string[]): Promise<string> {
    const uuid = await incus.launch(name, ...args)
    names.set(uuid, name)
    return uuid
  }

  describeConformance(
    incusKind,
    () => ({
      settings: trusted,
      wrongSettings: unknownClient(incus, 'stranger'),
      unreachableSettings: { ...trusted, address: 'https://127.0.0.1:1' },
      create,
      stop: async (id) => void (await incus.run('stop', '--force', nameOf(id))),
      start: (id) => incus.start(nameOf(id)),
      remove: async (id) => void (await incus.run('delete', '--force', nameOf(id))),
      rename: async (id, name) => {
        await incus.run('rename', nameOf(id), name)
        names.set(id, name)
      },
      breakOne:
        'A new connection does not know the UUID of an unreadable instance: see cluster.backend.ts.',
      createOdd: async () => [
        await create('odd-limits', '--config', 'limits.cpu=0-1', '--config', 'limits.memory=10%'),
        await create(
          'many-tags',
          ...Array.from({ length: 200 }, (_, n) => [
            '--config',
            `user.tag-${n}=${'v'.repeat(500)}`,
          ]).flat(),
        ),
        await create('long-text', '--config', `user.text=${'服'.repeat(20_000)}`),
      ],
      createMany: async (count) => {
        await incus.fill('many', count)
        return {
          settings: { ...trusted, options: { ...trusted.options, projects: ['many'] } },
          count,
        }
      },
    }),
    {
      http: () => ({
        upstream: incus.address.replace('unix://', 'unix:'),
        settingsAt: (address) => ({
          ...trusted,
          address,
          options: { projects: ['default'] },
        }),
        listsServers: ({ path }) => path.startsWith('/1.0/instances?'),
        withoutList: (body) => JSON.stringify({ ...JSON.parse(body), metadata: null }),
        withWrongTotal: 'The API has no totals.',
        errors: {
          credentials: daemonError(401, 'Unauthorized'),
          expired: daemonError(401, 'Unauthorized'),
          forbidden: daemonError(403, 'not authorized'),
          throttled: { status: 429, headers: { 'retry-after': '1' } },
        },
        renewsSession: 'Certificates have no sessions.',
        paging: 'The API has no pages of instances.',
      }),
    },
  )

  test('shows only the projects of a restricted certificate, and notices when it loses one', async () => {
    for (const project of ['red', 'blue']) {
      await incus.run(
        'project',
        'create',
        project,
        '--config',
        'features.images=false',
        '--config',
        'features.profiles=false',
      )
      await incus.launch(`in-${project}`, '--project', project)
    }
    const settings = await trustedClient(incus, 'limited', ['red', 'blue'])
    const source = await incusKind.open(settings, conformanceContext, AbortSignal.timeout(30_000))
    const found = [...(await scanAll(source)).values()]
    assert.deepEqual(found.map(({ facts, tenant }) => `${tenant?.id} ${facts.name}`).sort(), [
      'blue in-blue',
      'red in-red',
    ])
    await incus.limitTrust('limited', ['red'])
    const blue = found.find(({ tenant }) => tenant?.id === 'blue')
    assert.ok(blue)
    const pages: ScanPage[] = await Array.fromAsync(source.scan(AbortSignal.timeout(30_000)))
    assert.deepEqual(
      pages.flatMap(({ tenants = [] }) => tenants),
      ['red'],
    )
    await assert.rejects(source.get(referenceOf(blue), AbortSignal.timeout(30_000)), {
      kind: 'forbidden',
      message: /project blue/,
    })
    await source.close()
  })

  test('gives each instance with the UUID of another one a key of its own', async () => {
    await incus.launch('original')
    await incus.run('stop', '--force', 'original')
    const archive = `${incus.folder}/original.tar.gz`
    await incus.run('export', 'original', archive)
    await incus.run('import', archive, 'restored')
    await withSource(incusKind, localSettings(incus), async (source) => {
      const servers = [...(await scanAll(source)).values()]
      const copies = servers.filter(({ facts }) => /original|restored/.test(facts.name))
      assert.equal(copies.length, 2)
      assert.equal(await incus.uuidOf('original'), await incus.uuidOf('restored'))
      for (const copy of copies) {
        assert.deepEqual(await source.get(referenceOf(copy), AbortSignal.timeout(30_000)), copy)
      }
    })
  })

  test('says that the address needs https', async () => {
    const settings = { ...trusted, address: incus.tlsAddress.replace('https:', 'http:') }
    await assert.rejects(withSource(incusKind, settings, scanAll), {
      kind: 'tls',
      message: /begin with https/,
    })
  })

  test('says how to make the daemon trust the certificate', async () => {
    await assert.rejects(
      withSource(incusKind, unknownClient(incus, 'unknown'), scanAll),
      (error) =>
        error instanceof SourceError &&
        error.kind === 'credentials' &&
        error.message.includes('config trust add'),
    )
  })
})
