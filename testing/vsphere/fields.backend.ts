import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { derivedId } from '../../server/src/domain/sources/derived-id.ts'
import type { ReportedServer } from '../../server/src/domain/sources/source.ts'
import { vsphereKind } from '../../server/src/sources/vsphere/vsphere-kind.ts'
import { scanResources } from '../../server/src/testing/inventory-world/resource-conformance.ts'
import { referenceOf } from '../../server/src/testing/inventory-world/server-reference.ts'
import {
  requireServer,
  scanAll,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { openVcsimClient } from './vcsim-client.ts'
import { buildRichMachine } from './rich-machine.ts'
import { startVcsim, type TestVcsim } from './start.ts'

const site = '5a0e8a4c-1d0b-4f7e-9a53-0e1c5f3f9d11'

describe('fields of virtual machines in vcsim', () => {
  let vcsim: TestVcsim
  let client: Awaited<ReturnType<typeof openVcsimClient>>
  before(async () => {
    vcsim = await startVcsim({ pools: 1, folders: 1, uuid: site })
    client = await openVcsimClient(vcsim)
  })
  after(() => vcsim.stop())

  const scan = () => withSource(vsphereKind, vcsim.settings, scanAll)
  const find = (seen: ReadonlyMap<string, ReportedServer>, id: string): ReportedServer => {
    const server = [...seen.values()].find(({ facts }) => facts.external_id === id)
    assert.ok(server, `${id} is not reported`)
    return server
  }

  test('reports every field', async () => {
    const { uuid, facts, tenant } = await buildRichMachine(client, site)
    const server = find(await scan(), uuid)
    assert.deepEqual(server.facts, facts)
    assert.deepEqual([server.key, server.tenant], [['vsphere', site, uuid], tenant])
    const shown = requireServer(server, 'VMware')
    assert.equal(shown.region_external_id, 'VMware/datacenter-2')
    assert.deepEqual([shown.ips, shown.disk], ['10.4.0.7', 10_240 + 2_048])
    await client.remove(uuid)
  })

  test('reports the state of hosts', async () => {
    const [host = ''] = await client.list('HostSystem')
    await client.run('EnterMaintenanceMode', 'HostSystem', host, '<timeout>0</timeout>')
    const { hosts } = await withSource(vsphereKind, vcsim.settings, (source) =>
      scanResources(source, AbortSignal.timeout(10_000)),
    )
    assert.deepEqual(
      [...hosts.values()].map(({ external_id, status, enabled }) => [external_id, status, enabled]),
      (await client.list('HostSystem'))
        .toSorted()
        .map((id) => [id, id === host ? 'maintaining' : 'running', id !== host]),
    )
    await client.run('ExitMaintenanceMode', 'HostSystem', host, '<timeout>0</timeout>')
  })

  test('reports no templates', async () => {
    const uuid = await client.create('golden')
    const { key } = find(await scan(), uuid)
    await client.stop(uuid)
    await client.soap('MarkAsTemplate', 'VirtualMachine', await client.idOf(uuid))
    const seen = await scan()
    assert.ok(!seen.has(derivedId('server', ...key)))
  })

  test('distinguishes virtual machines with the same UUID', async () => {
    const [first, second] = [await client.create('original'), await client.create('copy')]
    const id = await client.idOf(second)
    await client.reconfigure(second, `<instanceUuid>${first}</instanceUuid>`)
    await withSource(vsphereKind, vcsim.settings, async (source) => {
      const seen = await scanAll(source)
      assert.equal(find(seen, first).facts.name, 'original')
      const copy = find(seen, `${first}/${id}`)
      assert.equal(copy.facts.name, 'copy')
      assert.deepEqual(await source.get(referenceOf(copy), AbortSignal.timeout(10_000)), copy)
    })
  })

  test('reads a standalone ESXi host', async () => {
    const esx = await startVcsim({ esx: true, vms: 3 })
    const seen = await withSource(vsphereKind, esx.settings, scanAll)
    await esx.stop()
    assert.equal(seen.size, 3)
    for (const { facts } of seen.values()) {
      assert.deepEqual([facts.status, facts.region], ['running', 'ha-datacenter'])
      assert.notEqual(facts.host, '')
    }
  })

  test('logs out', async () => {
    const before = (await client.sessions()).length
    await withSource(vsphereKind, vcsim.settings, async (source) => {
      await scanAll(source)
      assert.equal((await client.sessions()).length, before + 1)
    })
    assert.equal((await client.sessions()).length, before)
  })

  test('can be started from the command line', async () => {
    const up = spawn(join(import.meta.dirname, 'up'), ['--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(up, 'exit')
    try {
      let said = ''
      for await (const chunk of up.stdout as AsyncIterable<Buffer>) {
        said += chunk.toString()
        if (said.includes('--source-allow')) break
      }
      const word = (name: string) => new RegExp(`${name} +(.+)`).exec(said)?.[1] ?? ''
      const settings = {
        address: word('address'),
        credentials: { username: word('username'), password: word('password') },
        options: { fingerprint: word('fingerprint') },
      }
      assert.equal((await withSource(vsphereKind, settings, scanAll)).size, 12)
    } finally {
      up.kill()
    }
    assert.deepEqual(await exited, [0, null])
  })
})
