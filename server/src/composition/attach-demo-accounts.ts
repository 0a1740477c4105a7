import { defaultMaxActions, defaultRequestTimeout } from '@muster/contract'
import type { AccountRule } from '@muster/contract'
import type { DemoAccount, DemoHost } from '../demo-port.ts'
import { createEvent } from '../domain/audit/create-event.ts'
import type { Changes } from '../domain/audit/event.ts'
import { diffFields, fieldsOfNew } from '../domain/audit/field-diff.ts'
import type { Clock } from '../domain/clock.ts'
import { retryOnConflict } from '../domain/retry-on-conflict.ts'
import type { Account } from '../domain/sources/account.ts'
import type { AccountStore } from '../domain/sources/ports.ts'
import { atStart } from './seed-demo-organisation.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly clock: Clock
}

/** Attaches the cloud accounts of a demo, and updates them when the demo grows. */
export function createAttachDemoAccounts({
  accounts,
  clock,
}: Dependencies): Pick<DemoHost, 'attachAccounts' | 'growAccounts'> {
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

  async function freeName(name: string): Promise<string> {
    let free = name
    for (let number = 1; await accounts.isNameTaken(free); number += 1) {
      free = `${name}-demo${number === 1 ? '' : `-${number}`}`
    }
    return free
  }

  async function attach(wanted: DemoAccount): Promise<void> {
    if (await accounts.find(wanted.id)) return
    const account: Account = {
      ...wanted,
      name: await freeName(wanted.name),
      brand: wanted.provider,
      address: '',
      enabled: true,
      // People can try the actions at once: nothing real happens.
      access: 'manage',
      max_actions: defaultMaxActions,
      request_timeout: defaultRequestTimeout,
      disappearance_hold: null,
      revision: 1,
      isBeingDeleted: false,
    }
    const { revision: _revision, isBeingDeleted: _isBeingDeleted, ...shown } = account
    const event = eventOf('create', account, fieldsOfNew(shown))
    // Another process that starts at the same time may have inserted it.
    const isThere = (await accounts.insert(account, {}, event)) || (await accounts.find(account.id))
    if (!isThere) throw new Error(`the name ${account.name} was taken just now`)
  }

  async function grow(wanted: DemoAccount, rules: readonly AccountRule[]): Promise<void> {
    await retryOnConflict(async () => {
      const { account } = (await accounts.find(wanted.id)) ?? {}
      const isDone = account?.options['servers'] === wanted.options['servers']
      if (!account || account.isBeingDeleted || isDone) return true
      const changes = { options: wanted.options, mapping: [...account.mapping, ...rules] }
      const event = eventOf('update', account, diffFields(account, changes))
      return (await accounts.update(account, changes, undefined, event)) || undefined
    })
  }

  return {
    async attachAccounts(wanted) {
      for (const account of wanted) await attach(account)
    },
    async growAccounts(wanted, rules) {
      for (const account of wanted) await grow(account, rules)
    },
  }
}
