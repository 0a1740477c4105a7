import { eventually } from '../eventually.ts'
import assert from 'node:assert/strict'
import type { OperationId, Server, Task } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import type { Engine } from '../engines.ts'
import type { Lifetime } from '../spawn-muster.ts'
import { startAttached } from './attached-accounts.ts'

interface ActionAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly server?: Server; readonly class?: string; readonly details?: string }
}

interface Given {
  readonly body?: unknown
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Settings {
  readonly platform?: Parameters<typeof startAttached>[2]
  /** Of the simulator. */
  readonly options?: object
  readonly account?: object
}

/** A platform with a simulated account on whose servers tests can act. */
export async function startActingAccount(
  lifetime: Lifetime,
  engine: Engine,
  settings: Settings = {},
) {
  const at = await startAttached(lifetime, engine, settings.platform)
  const { id: accountId } = await at.attach({
    name: `simulated ${newId()}`,
    provider: 'Simulator',
    address: '',
    options: { servers: 150, seed: 7, action_delay: 300, ...settings.options },
    access: 'manage',
    ...settings.account,
  })
  await at.synced(accountId)

  const act = (operation: OperationId, id: string, given: Given = {}) =>
    at.admin.call(operation, { path: { id }, ...given }) as unknown as Promise<ActionAnswer>

  const servers = async (status: string, query = '') =>
    (
      await at.admin.get<{ servers: Server[] }>('listServers', {
        query: `status=${status}&account_id=${accountId}&details=true&with_meta=true&scope=max&disable_delete=false&limit=50${query}`,
      })
    ).servers

  const getTask = async (id: string) =>
    (await at.admin.get<{ task: Task }>('getTask', { path: { id } })).task

  const ended = (id: string) =>
    eventually<Task>(`task ${id} ends`, async () => {
      const task = await getTask(id)
      return task.finished_at === null ? undefined : task
    })

  return {
    at,
    accountId,
    act,
    servers,
    getTask,
    /** The task, once it has ended. */
    ended,

    getServer: async (id: string) =>
      (await at.admin.get<{ server: Server }>('getServer', { path: { id } })).server,

    /** A server in this status that no scaling group replaces. */
    async first(status: string): Promise<Server> {
      const [found] = await servers(status, '&scaling_group_id=')
      assert.ok(found, `no server is ${status}`)
      return found
    },

    /** Performs an action and waits for the end of its task. */
    async run(...given: Parameters<typeof act>): Promise<Task> {
      const answer = await act(...given)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return await ended(answer.headers.get('x-task-id') ?? 'none')
    },

    /** Performs an action that must fail with this error. Returns what the error says. */
    async refused(errorClass: string, ...given: Parameters<typeof act>): Promise<string> {
      const { status, body } = await act(...given)
      assert.equal(body.class, errorClass, JSON.stringify(body))
      assert.ok(status >= 400)
      return body.details ?? ''
    },
  }
}
export type ActingAccount = Awaited<ReturnType<typeof startActingAccount>>
