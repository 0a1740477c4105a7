import { join } from 'node:path'
import type { Batch, Operation, Task } from '@muster/contract'
import { sql } from 'kysely'
import { newId } from '../../domain/new-id.ts'
import { anyName, named } from '../identity-world/identity-rows.ts'
import { minimalServer } from '../inventory-world/minimal-server.ts'
import { loadSecretKey } from '../../vault/secret-key.ts'
import type { ask } from '../client.ts'
import type { TestPlatform } from '../start-platform.ts'

type Request = <Body>(path: string, options?: Parameters<typeof ask>[2]) => Promise<Body>

/** A server in which state each operation acts on. */
const states: Readonly<Record<string, { status: string; pending_deleted?: true }>> = {
  startServer: { status: 'ready' },
  stopServer: { status: 'running' },
  restartServer: { status: 'running' },
  resetServer: { status: 'running' },
  suspendServer: { status: 'running' },
  resumeServer: { status: 'suspend' },
  changeServerConfig: { status: 'ready' },
  cancelServerDeletion: { status: 'ready', pending_deleted: true },
  purgeServer: { status: 'ready' },
  updateServer: { status: 'ready' },
  deleteServer: { status: 'ready' },
}

/** The lease of the account does not end while tests run. */
const farFuture = Date.parse('2099-01-01')

/** Of a server that the last scan of its account did not find. */
export const missedSighting = (accountId: string, server: number, projectId: string) => ({
  account_id: accountId,
  server,
  digest: '',
  project_id: projectId,
  missed: 1,
  missing_since: 1,
  active_name: '',
  active_host: '',
})

/**
 * Servers on which every action is accepted. Their account is run by another process, which does nothing:
 * tasks stay queued, and nothing changes in the background.
 */
export async function createActionFixtures(
  { database, inventory, folder }: Pick<TestPlatform, 'database' | 'inventory' | 'folder'>,
  projectId: string,
  request: Request,
) {
  const { db } = database
  const account = named(anyName('managed'))
  const secretBox = loadSecretKey(join(folder, 'secret.key'))
  await database.commit([
    db
      .insertInto('cloudaccounts')
      .values({
        ...account,
        provider: 'Simulator',
        brand: 'OneCloud',
        address: '',
        credentials: secretBox.encrypt('{}', `cloudaccount ${account.id}`),
        options: '{}',
        project_id: projectId,
        period: 3_600,
        enabled: 1,
        mapping: '[]',
        revision: 1,
        leaving: 0,
        access: 'manage',
        max_actions: 10,
        request_timeout: 20,
      })
      .compile(),
    sql`insert into account_syncs (account_id, runner, leased_until)
      values (${account.id}, 'another process', ${farFuture})`.compile(db),
  ])

  async function addServer(operationId: string): Promise<string> {
    const server = minimalServer(projectId, { account_id: account.id, ...states[operationId] })
    await inventory.recordServers({ present: [server], gone: [] })
    const { seq } = await db
      .selectFrom('servers')
      .select('seq')
      .where('id', '=', server.id)
      .executeTakeFirstOrThrow()
    // A user has a limited number of queued tasks besides those of batches.
    await database.commit([
      db
        .deleteFrom('tasks')
        .where('account_id', '=', account.id)
        .where('batch_id', '=', '')
        .compile(),
      ...(operationId === 'purgeServer'
        ? [
            db
              .insertInto('sightings')
              .values(missedSighting(account.id, seq, projectId))
              .compile(),
          ]
        : []),
    ])
    return server.id
  }

  async function addBatch(): Promise<string> {
    const ids = [await addServer('startServer')]
    const body = { batch: { action: 'start', ids } }
    const { batch } = await request<{ batch: Batch }>('/servers/batch', { method: 'POST', body })
    return batch.id
  }

  return {
    /** Whether the operation changes one server. */
    acts: ({ id }: Operation): boolean => id in states,
    addServer,
    addBatch,
    /** Adds a task of a batch. */
    async addTask(): Promise<string> {
      const { tasks } = await request<{ tasks: Task[] }>(`/tasks?batch_id=${await addBatch()}`)
      return tasks[0]?.id ?? ''
    },
    bodyOf({ id, example }: Operation): unknown {
      if (id === 'updateServer') return { server: { description: newId() } }
      return id === 'changeServerConfig' ? { server: { vcpu_count: 3 } } : example
    },
  }
}
