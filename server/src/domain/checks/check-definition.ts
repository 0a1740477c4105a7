import type { Server } from '@muster/contract'
import { createHash } from 'node:crypto'
import { readCloudpodsParameters } from '../inventory/cloudpods-parameters.ts'
import type { Condition } from '../inventory/condition.ts'
import { looksAtOwnerNames } from '../inventory/looks-at-owner-names.ts'
import type { Owner } from '../inventory/ports.ts'
import { readServerFilter } from '../inventory/server-list/read-server-filter.ts'
import type { StateFilter } from '../inventory/server-list/server-query.ts'
import { allOf, anyOf } from '../query/conditions.ts'
import type { AttachedAccount } from '../sources/account.ts'
import { compileMapping } from '../sources/mapping.ts'
import { subjectOf } from '../sources/move-servers.ts'
import { checkIds } from './check-ids.ts'
import { scopeOfCheck, type CheckRecord } from './check-record.ts'
import { endedSystems } from './end-of-life.ts'
import type { Subject } from './evaluation-ports.ts'

/** What built-in checks look at besides servers. */
export interface CheckContext {
  readonly now: number
  readonly accounts: readonly AttachedAccount[]
  readonly owners: ReadonlyMap<string, Owner>
  readonly sharingAddresses: () => Promise<readonly Subject[]>
}

/** A query of servers. A predicate decides about what the query cannot express. */
export interface ServerDefinition {
  readonly kind: 'query'
  readonly key: string
  readonly state: StateFilter
  readonly where: Condition
  readonly predicate?: (server: Server) => boolean
}

/** All subjects, found at once. */
interface ListDefinition {
  readonly kind: 'list'
  readonly subjects: 'server' | 'account'
  readonly key: string
  /** Found again at each evaluation, otherwise if the key differs. */
  readonly isAlwaysFound: boolean
  find(): Promise<readonly Subject[]>
}
export type CheckDefinition = ServerDefinition | ListDefinition

const hour = 3_600_000
const tenMinutes = 600_000
const week = 7 * 24 * hour

const digest = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)

function serverDefinition(
  check: CheckRecord,
  { owners }: CheckContext,
  where: Condition,
  others: Partial<Pick<ServerDefinition, 'state' | 'predicate'>> & { facts?: unknown } = {},
): ServerDefinition {
  const { state = 'live', predicate, facts } = others
  // A renamed project changes the result, although no server changes.
  const names = looksAtOwnerNames(where) ? [...owners.values()] : []
  return {
    kind: 'query',
    key: digest([state, where, scopeOfCheck(check), names, facts ?? null]),
    state,
    where,
    ...(predicate && { predicate }),
  }
}

/** Servers in the default project of an account with rules, of which none matches. */
function noProjectByRule(check: CheckRecord, context: CheckContext): ServerDefinition {
  const accounts = context.accounts
    .map(({ account }) => account)
    .filter(({ mapping, isBeingDeleted }) => mapping.length > 0 && !isBeingDeleted)
  const mappings = new Map(
    accounts.map((account) => [account.id, compileMapping(account, context.owners)]),
  )
  const where = accounts.map(({ id, project_id }): Condition =>
    allOf<Condition>([
      { kind: 'field', field: 'account_id', comparison: 'equals', values: [id] },
      { kind: 'field', field: 'project_id', comparison: 'equals', values: [project_id] },
    ]),
  )
  return serverDefinition(
    check,
    context,
    where.length === 0 ? { kind: 'any', conditions: [] } : anyOf(where),
    {
      predicate: (server) => mappings.get(server.account_id)?.(subjectOf(server)).rule === -1,
      facts: accounts.map(({ id, revision, mapping }) => [
        id,
        revision,
        mapping.map(({ project_id }) => context.owners.has(project_id)),
      ]),
    },
  )
}

/** No complete scan for so many periods, and at least an hour. */
const stalePeriods = 5

function isFailing({ account, sync }: AttachedAccount, now: number): boolean {
  if (!account.enabled || account.isBeingDeleted) return false
  const since = sync.finished_at ?? account.created_at
  const isStale = now - since > Math.max(stalePeriods * account.period * 1_000, hour)
  return sync.is_unreachable || sync.failures > 0 || isStale
}

const isUnreadable = ({ account, sync }: AttachedAccount): boolean =>
  account.enabled && sync.warnings.some(({ kind }) => kind === 'unreadable')

function accountDefinition(
  { accounts }: CheckContext,
  violates: (attached: AttachedAccount) => boolean,
): ListDefinition {
  return {
    kind: 'list',
    subjects: 'account',
    key: 'accounts',
    isAlwaysFound: true,
    find: async () =>
      accounts
        .filter(violates)
        .map(({ account: { id, name } }) => ({ id, name, projectId: '', domainId: '' }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }
}

/** What a check is about now. If the key differs from that of the last evaluation, everything is evaluated. */
export function definitionOf(check: CheckRecord, context: CheckContext): CheckDefinition {
  const { now } = context
  const field = (
    name: 'status' | 'expired_at',
    comparison: 'equals' | 'le',
    value: string | number,
  ) => ({ kind: 'field', field: name, comparison, values: [value] }) as const
  switch (check.id) {
    case checkIds.endOfLife:
      return serverDefinition(check, context, endedSystems(now))
    case checkIds.expiring: {
      const before = (Math.floor(now / hour) * hour + week) * 1_000
      return serverDefinition(check, context, field('expired_at', 'le', before))
    }
    case checkIds.recycleBin:
      return serverDefinition(check, context, field('status', 'equals', 'running'), {
        state: 'recycled',
      })
    case checkIds.noProjectByRule:
      return noProjectByRule(check, context)
    case checkIds.duplicateAddress:
      return {
        kind: 'list',
        subjects: 'server',
        key: `addresses ${Math.floor(now / tenMinutes)}`,
        isAlwaysFound: false,
        find: context.sharingAddresses,
      }
    case checkIds.failingAccounts:
      return accountDefinition(context, (account) => isFailing(account, now))
    case checkIds.unreadableServers:
      return accountDefinition(context, isUnreadable)
    default: {
      const { where } = readServerFilter({ q: check.q }, readCloudpodsParameters({}))
      return serverDefinition(check, context, where)
    }
  }
}
