import { eventually } from '../../server/src/testing/eventually.ts'
import type { Server, Task } from '@muster/contract'
import type { TestConsole } from './start-console.ts'

/** A project with simulated servers that can be acted on, its owner and a viewer. */
export async function createActingFleet(testConsole: TestConsole, size = 40) {
  const { admin, identities } = testConsole
  const projectId = await identities.addProject('ops')
  const owner = await testConsole.addUser('olga', 'project_owner', { projectId }, projectId)
  const viewer = await testConsole.addUser('victor', 'project_viewer', { projectId }, projectId)
  async function attach(name: string, options: object): Promise<string> {
    const account = {
      name,
      provider: 'Simulator',
      project_id: projectId,
      access: 'manage',
      options,
    }
    const attached = await admin.call<{ cloudaccount: { id: string } }>('createCloudAccount', {
      body: { cloudaccount: account },
    })
    if (attached.status !== 201) throw new Error(attached.text)
    return attached.body.cloudaccount.id
  }
  const accountId = await attach('made-up', { servers: size, action_delay: 600 })

  const list = async (query: string) =>
    (
      await admin.get<{ servers: Server[] }>('listServers', {
        query: `scope=system&details=true&limit=200&${query}`,
      })
    ).servers
  await eventually('the account is scanned', async () => (await list('')).length > 0)
  const read = async (id: string) =>
    (await admin.call<{ server: Server }>('getServer', { path: { id } })).body.server
  const taken = new Set<string>()
  let failing: Promise<string> | undefined

  const canStop = ({ disable_delete, scaling_group_id }: Server) =>
    !disable_delete && scaling_group_id === ''

  const fleet = {
    projectId,
    accountId,
    owner,
    viewer,
    list,
    read,
    /** A running server of another account, whose actions all fail. No other test has it. */
    async attachFailing(): Promise<Server> {
      failing ??= attach('failing', {
        servers: 20,
        seed: 2,
        action_delay: 50,
        action_failures: 100,
      })
      const query = `status=running&account_id=${await failing}`
      await eventually('the account is scanned', async () => (await list(query)).some(canStop))
      const server = (await list(query)).find((one) => canStop(one) && !taken.has(one.id))
      if (!server) throw new Error('There is no running server.')
      taken.add(server.id)
      return server
    },
    /**
     * A server that no other test has taken, and that nothing protects. It gets a name of its own: from
     * its first action on, a simulated server no longer changes by itself.
     */
    async take(status: 'running' | 'ready'): Promise<Server> {
      const server = (await list(`status=${status}`)).find(
        (server) => server.account_id === accountId && !taken.has(server.id) && canStop(server),
      )
      if (!server) throw new Error(`There is no other server with the status ${status}.`)
      const { id } = server
      taken.add(id)
      const name = `taken-${taken.size}`
      const renamed = await admin.call('updateServer', { path: { id }, body: { server: { name } } })
      if (renamed.status !== 200) throw new Error(renamed.text)
      await eventually('the server is renamed', async () => {
        const { tasks } = await admin.get<{ tasks: Task[] }>('listTasks', {
          query: `server_id=${id}`,
        })
        return tasks.every(({ finished_at }) => finished_at !== null)
      })
      // It may have changed by itself just before.
      const settled = await read(id)
      return settled.name === name && settled.status === status ? settled : await fleet.take(status)
    },
  }
  return fleet
}
export type ActingFleet = Awaited<ReturnType<typeof createActingFleet>>
