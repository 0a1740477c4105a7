import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Server } from '@muster/contract'
import { loginAdmin } from '../../server/src/testing/client.ts'
import {
  operate,
  startOperatedMuster,
  type Operator,
} from '../../server/src/testing/inventory-world/operate-muster.ts'
import { suiteLifetime, temporaryFolder } from '../../server/src/testing/spawn-muster.ts'
import { settingsOf } from './plug.ts'
import type { TestOpenStack } from './start.ts'

/** A Muster process with an account of OpenStack. */
export function describeAttached(backEnd: () => TestOpenStack): void {
  void describe('attached over the API', () => {
    const lifetime = suiteLifetime()
    let operator: Operator
    let account: string
    let opsProject: string
    before(async () => {
      const openstack = backEnd()
      const muster = await startOperatedMuster(lifetime, { folder: temporaryFolder(lifetime) })
      operator = operate(muster, await loginAdmin(muster.authUrl))
      const made = await operator.request<{ project: { id: string } }>('/v3/projects', 'POST', {
        project: { name: 'operations', domain_id: 'default' },
      })
      opsProject = made.project.id
      account = await operator.attach({
        provider: 'OpenStack',
        ...settingsOf(openstack.authUrl, 'admin', { project: 'admin' }),
        mapping: [{ tenant: 'ops', project_id: opsProject }],
      })
      await operator.finished(account)
    })

    const shows = (what: string, isShown: (servers: readonly Server[]) => boolean) =>
      eventually(what, async () => isShown(await operator.servers()), { deadline: 40 })

    void test('shows servers in the projects of the mapping, and the hosts', async () => {
      const { status, sync } = await operator.show(account)
      assert.deepEqual([status, sync.error, sync.warnings], ['connected', '', []])
      const servers = await operator.servers()
      assert.deepEqual(
        servers.map(({ name, manager, project_id }) => [name, manager, project_id === opsProject]),
        [
          ['demo-1', 'demo', false],
          ['ops-1', 'ops', true],
        ],
      )
      const hosts = await operator.list('hosts')
      const [first] = hosts
      assert.deepEqual(
        [
          first?.name,
          first?.cpu_count,
          first?.mem_size,
          first?.version,
          first?.zone,
          first?.guests,
        ],
        ['compute-01.example', 64, 262_144, '7.2.0', 'nova', 2],
      )
      const zones = await operator.list('zones')
      assert.deepEqual(zones.map(({ name }) => name).sort(), ['az-east', 'internal', 'nova'])
    })

    void test('shows each change soon, without a complete scan', async (context) => {
      const { order, add } = backEnd()
      const scannedAt = (await operator.show(account)).sync.started_at
      let id = ''
      const steps: readonly (readonly [string, () => Promise<unknown>, string | undefined])[] = [
        ['created', async () => (id = await add({ name: 'fresh' })), 'fresh running'],
        ['stopped', () => order('change', { server: id, vm_state: 'stopped' }), 'fresh ready'],
        ['renamed', () => order('change', { server: id, display_name: 'new' }), 'new ready'],
        ['deleted', () => order('delete', { server: id }), undefined],
      ]
      for (const [what, change, expected] of steps) {
        await change()
        const start = performance.now()
        await shows(`${what} at the source`, (servers) => {
          const texts = servers.map(({ name, status }) => `${name} ${status}`)
          return expected === undefined ? texts.length === 2 : texts.includes(expected)
        })
        const seconds = ((performance.now() - start) / 1_000).toFixed(1)
        context.diagnostic(`${what}: visible after ${seconds} s`)
      }
      const { sync } = await operator.show(account)
      if (sync.started_at !== scannedAt) context.diagnostic('a complete scan ran meanwhile')
    })
  })
}
