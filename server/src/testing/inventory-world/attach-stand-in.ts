import type { Server } from '@muster/contract'
import type { StoredServer } from '../../domain/inventory/ports.ts'
import { createAccountRun } from '../../domain/sources/account-run.ts'
import { describeAccount } from '../../domain/sources/describe-account.ts'
import { coversRegion } from '../../domain/sources/failed-parts.ts'
import type { Source, SourceKind } from '../../domain/sources/source.ts'
import { createSyncOnce } from '../../domain/sources/sync-once.ts'
import { decideAction } from '../../domain/tasks/decide-action.ts'
import { createLoadSituations } from '../../domain/tasks/situations.ts'
import { createMemorySync, makeAccount } from './in-memory-sync.ts'

const period = 60
const never = new AbortController().signal

/** An account on a stand-in, with a clock of its own. */
export function attach(standIn: { open(): Promise<Source> }) {
  let now = 1_000_000
  const memory = createMemorySync(makeAccount({ period }), { runner: 'this one' })
  const openRun = () =>
    createAccountRun(
      {
        ...memory,
        openSource: {
          loadKind: async () => ({ hasEvents: false }) as SourceKind,
          openAccount: () => standIn.open(),
        },
        defaultHold: 900_000,
        clock: () => now,
        random: () => 0,
        countScan() {},
        log: { debug() {}, info() {}, warn() {} },
      },
      memory.attached,
      'this one',
    )
  let run = openRun()
  let syncOnce = createSyncOnce(run, never)
  const loadSituations = createLoadSituations({
    kinds: new Map(),
    accounts: memory.accounts,
    sightings: memory.sightings,
    tasks: { unfinishedOf: async () => new Map() },
  })
  return {
    servers: () => memory.present(),
    inRegion: (region: string) =>
      memory.present().filter((server) => server.region_ext_id === region),
    account: () => describeAccount(memory.attached, 0, now),
    async sync(periods = 1): Promise<void> {
      now += periods * period * 1_000
      await syncOnce()
    },
    /** Forgets everything that is not stored. */
    restart(): void {
      run = openRun()
      syncOnce = createSyncOnce(run, never)
    },
    isBinEmptied: (region: string) =>
      !run.state().failing.some(({ part }) => coversRegion(part, region)),
    async mayPurge({ id }: Server): Promise<boolean> {
      const stored = (await memory.serverWriter.findStored([id])).get(id) as StoredServer
      const situation = (await loadSituations([stored])).get(id)
      return situation !== undefined && decideAction('purge', {}, situation).kind === 'act'
    },
  }
}

/** All that does not change with the state of a server or its host. */
export const detailsOf = (servers: readonly Server[]) =>
  servers.map((server) => ({
    ...server,
    status: '',
    updated_at: '',
    update_version: 0,
    created_at: '',
    host_service_status: '',
  }))
export const statusesOf = (servers: readonly Server[]) =>
  new Set(servers.map(({ status }) => status))
