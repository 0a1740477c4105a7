import { createEvent } from '../domain/audit/create-event.ts'
import type { Changes } from '../domain/audit/event.ts'
import { differences, everythingOf } from '../domain/identity/administration/changes.ts'
import type { Clock } from '../domain/clock.ts'
import type { Account } from '../domain/sources/account.ts'
import type { AccountStore } from '../domain/sources/ports.ts'
import { simulatorKind } from '../sources/simulator/simulator-kind.ts'
import type { SimulatedAccount } from '../sources/simulator/sites.ts'
import type { DemoProject } from './demo-organisation.ts'
import { atStart } from './seed-demo-organisation.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly clock: Clock
}

/** The fleet that is to be seen through the accounts, all of them together. */
export interface DemoFleet {
  readonly seed: number
  readonly servers: number
  readonly projects: readonly DemoProject[]
}

/** They tell of changes by themselves: to go through all servers is only to be sure. */
const period = 3_600
const tries = 5

const optionsOf = ({ seed, servers, projects }: DemoFleet, { name }: SimulatedAccount) => ({
  servers,
  seed,
  cloud_account: name,
  tenants: projects.map(({ id }) => id),
})

const rulesOf = (projects: readonly DemoProject[]) =>
  projects.map(({ id }) => ({ tenant: id, project_id: id }))

/** Attaches the accounts that a demo's servers come from: their ids are always the same. */
export function createAttachDemoAccounts({ accounts, clock }: Dependencies) {
  const eventOf = (action: string, { id, name }: Account, changes: Changes) =>
    createEvent({
      user: undefined,
      origin: atStart,
      action: {
        action,
        targetType: 'cloudaccount',
        targetId: id,
        targetName: name,
        scope: { kind: 'system' },
        changes,
      },
      result: 'success',
      time: clock(),
    })

  /** Somebody may have a name already that the demo would like to have. */
  async function freeName(name: string): Promise<string> {
    let free = name
    for (let number = 1; await accounts.isNameTaken(free); number += 1) {
      free = `${name}-demo${number === 1 ? '' : `-${number}`}`
    }
    return free
  }

  async function attachOne(simulated: SimulatedAccount, fleet: DemoFleet): Promise<void> {
    if (await accounts.find(simulated.id)) return
    const account: Account = {
      id: simulated.id,
      name: await freeName(simulated.name),
      provider: simulatorKind.provider,
      brand: simulatorKind.provider,
      address: '',
      options: optionsOf(fleet, simulated),
      project_id: fleet.projects[0]?.id ?? '',
      period,
      enabled: true,
      mapping: rulesOf(fleet.projects),
      created_at: simulated.attachedAt,
      revision: 1,
      disappearance_hold: null,
      leaving: false,
    }
    const { revision: _revision, leaving: _leaving, ...told } = account
    const event = eventOf('create', account, everythingOf(told))
    // Another process that starts as well may be quicker.
    const isThere = (await accounts.insert(account, {}, event)) || (await accounts.find(account.id))
    if (!isThere) throw new Error(`the name ${account.name} was taken just now`)
  }

  /** What the operator has made of the account stays: it is told of a larger fleet and its projects. */
  async function growOne(simulated: SimulatedAccount, fleet: DemoFleet, known: number) {
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const { account } = (await accounts.find(simulated.id)) ?? {}
      if (!account || account.leaving || account.options['servers'] === fleet.servers) return
      const changes = {
        options: optionsOf(fleet, simulated),
        mapping: [...account.mapping, ...rulesOf(fleet.projects.slice(known))],
      }
      const event = eventOf('update', account, differences(account, changes))
      if (await accounts.update(account, changes, undefined, event)) return
    }
    throw new Error(`the demo's account ${simulated.name} is being changed by others`)
  }

  return {
    async attach(simulated: readonly SimulatedAccount[], fleet: DemoFleet): Promise<void> {
      for (const one of simulated) await attachOne(one, fleet)
    },
    /** The fleet had so many of its projects before. */
    async grow(simulated: readonly SimulatedAccount[], fleet: DemoFleet, known: number) {
      for (const one of simulated) await growOne(one, fleet, known)
    },
  }
}
