import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { SourceKind, SourceSettings } from '../../server/src/domain/sources/source.ts'
import {
  requireServer,
  scanAll,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'
import { repository } from '../../server/src/testing/spawn-muster.ts'

const token = 'a-token'
const machines = new Map(
  Array.from({ length: 450 }, (_, index) => {
    const id = `m-${String(index).padStart(3, '0')}`
    const state = ['on', 'off', 'odd'][index % 3]
    return [
      id,
      { id, name: `machine ${index}`, state, cpus: 2, memory_mb: 512, address: '', team: 'a' },
    ]
  }),
)

/** The API that the page describes. */
function answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const send = (status: number, body: object) =>
    response.writeHead(status).end(JSON.stringify(body))
  if (headers.authorization !== `Bearer ${token}`) return void send(401, {})
  if (pathname === '/machines') {
    const rest = [...machines.values()].filter(({ id }) => id > (searchParams.get('after') ?? ''))
    const page = rest.slice(0, 200)
    const next = rest.length > page.length ? page.at(-1)?.id : ''
    return void send(200, { machines: page, next })
  }
  const machine = machines.get(basename(pathname))
  send(machine ? 200 : 404, machine ?? {})
}

describe('the example in docs/adding-a-source.md', () => {
  const server = createServer(answer)
  const folder = mkdtempSync(join(tmpdir(), 'muster-example-source-'))
  let kind: SourceKind
  let settings: SourceSettings
  before(async () => {
    const page = readFileSync(join(repository, 'docs/adding-a-source.md'), 'utf8')
    for (const [, file = '', text = ''] of page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)) {
      assert.equal(dirname(file), 'server/src/sources/example')
      const imports = text
        .replaceAll("'../../", `'${repository}/server/src/`)
        .replaceAll("'../shared/", `'${repository}/server/src/sources/shared/`)
      writeFileSync(join(folder, basename(file)), imports)
    }
    const module = (await import(join(folder, 'example-kind.ts'))) as { exampleKind: SourceKind }
    kind = module.exampleKind
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    settings = { address: `http://127.0.0.1:${port}`, credentials: { token }, options: {} }
  })
  after(() => {
    rmSync(folder, { recursive: true })
    server.closeAllConnections()
    server.close()
  })

  test('reports all servers over several pages', async () => {
    assert.deepEqual(kind.check(settings), [])
    const seen = await withSource(kind, settings, scanAll)
    assert.equal(seen.size, machines.size)
    const statuses = new Set([...seen.values()].map((one) => requireServer(one, 'Example').status))
    assert.deepEqual(statuses, new Set(['running', 'ready', 'unknown']))
  })

  test('reports one server, and that another does not exist', async () => {
    await withSource(kind, settings, async (source) => {
      const get = (id: string) => source.get(referTo(id), AbortSignal.timeout(5_000))
      const found = await get('m-001')
      assert.ok(found && 'facts' in found)
      assert.equal(found.facts.status, 'ready')
      assert.equal(await get('m-999'), undefined)
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
})
