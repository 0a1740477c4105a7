import type { Clock } from '../domain/clock.ts'
import type { ReauthorizeCaller } from '../domain/identity/reauthorize-caller.ts'
import type { AccountStore } from '../domain/sources/ports.ts'
import type { SyncClient } from '../domain/sources/sync-client.ts'
import { createActionTickets } from '../domain/tasks/action-tickets.ts'
import { createTaskUseCases } from '../domain/tasks/administer-tasks.ts'
import { createBatchUseCases } from '../domain/tasks/create-batch.ts'
import { createIdempotency, idempotencyLifetime } from '../domain/tasks/idempotency.ts'
import { createGetServerActions } from '../domain/tasks/get-server-actions.ts'
import { createPerformAction } from '../domain/tasks/perform-action.ts'
import { createRequireAnswer } from '../domain/tasks/require-answer.ts'
import { createLoadSituations } from '../domain/tasks/situations.ts'
import { validateActionParameters } from '../http/tasks/action-parameters.ts'
import { kinds } from '../sources/kinds.ts'
import type { Database } from '../storage/database.ts'
import { createSightingStore } from '../storage/sources/sighting-store.ts'
import { createTaskStore } from '../storage/tasks/task-store.ts'
import { createTicketStore } from '../storage/tasks/ticket-store.ts'
import type { Inventory } from './compose-inventory.ts'

interface Parts extends Pick<Inventory, 'findServer' | 'finder' | 'serverWriter'> {
  readonly database: Database
  readonly accounts: AccountStore
  readonly syncClient: Pick<SyncClient, 'wakeTasks' | 'probe'>
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly taskTimeout: number
  readonly recycleFor: number
  readonly eventRetention: number
  readonly clock: Clock
}

/** Composes the use cases of actions, tasks and batches. Tasks run in the sync thread. */
export function composeTasks(parts: Parts) {
  const { database, accounts, syncClient, serverWriter, clock } = parts
  const tasks = createTaskStore(database, clock)
  const tickets = createActionTickets(createTicketStore(database), clock)
  const shared = {
    ...parts,
    tasks,
    idempotency: createIdempotency(tasks, clock),
    loadSituations: createLoadSituations({
      kinds,
      accounts,
      sightings: createSightingStore(database),
      tasks,
    }),
    requireAnswer: createRequireAnswer({ probe: syncClient.probe, clock }),
    // If it fails, the next poll of the sync thread finds the task.
    wake: (accountId: string) => void syncClient.wakeTasks(accountId).catch(() => {}),
  }
  return {
    recycleFor: parts.recycleFor,
    tickets,
    performAction: createPerformAction(shared),
    getServerActions: createGetServerActions(shared),
    ...createBatchUseCases({ ...shared, validateParameters: validateActionParameters }),
    ...createTaskUseCases({ ...shared, serverWriter }),
    async purgeTasks() {
      await tasks.purge(clock() - parts.eventRetention, clock() - idempotencyLifetime)
      await tickets.purgeTickets()
    },
  }
}
