import type { ChangeKind, Server } from '@muster/contract'
import type { EventRecord } from '../../audit/event.ts'
import { defaultServer, upgradeServer } from '../build-server.ts'
import { kindsOfDiff } from './change-kinds.ts'
import type { ChangeRecord, ServerChange, VersionOwner } from './ports.ts'
import { isDiffed, type ServerDiff } from './server-diff.ts'

/** A change of which only differences are known, because an earlier version of Muster recorded it as an event. */
interface PartialChange {
  readonly kinds: readonly ChangeKind[]
  readonly owner: VersionOwner
  readonly formerOwner: VersionOwner
  readonly diff: ServerDiff
}

const kindsByAction: Readonly<Record<string, readonly ChangeKind[]>> = {
  create: ['appeared'],
  delete: ['gone'],
  restore: ['returned'],
}

/** The name of the account that reported it. */
const reporterOf = (user: string): string | undefined => /^account (.+)$/s.exec(user)?.[1]

export function partialChangeOf({ action, changes, ...event }: EventRecord): PartialChange {
  const account = reporterOf(event.user)
  const diff: ServerDiff = {
    // The versions are made from these alone.
    id: [event.target_id, event.target_id],
    name: [event.target_name, event.target_name],
    ...(account !== undefined && { account: [account, account] }),
    ...changes,
  }
  const stored = Object.entries(changes).filter(([key]) => isDiffed(key))
  const owner = { projectId: event.project_id, domainId: event.domain_id }
  const formerOf = (key: string, after: string) => {
    const before = changes[key]?.[0]
    return typeof before === 'string' ? before : after
  }
  return {
    kinds: kindsByAction[action] ?? kindsOfDiff(Object.fromEntries(stored)),
    owner,
    formerOwner: {
      projectId: formerOf('project_id', owner.projectId),
      domainId: formerOf('domain_id', owner.domainId),
    },
    diff,
  }
}

export const isPartial = ({ position }: ChangeRecord): boolean => position.commit < 0

function versionOf(diff: ServerDiff, side: 0 | 1, owner: VersionOwner, deleted: boolean): Server {
  const values = Object.entries(diff).map(([key, pair]) => [key, pair[side]] as const)
  const isTag = (key: string) => key.includes(':')
  const fields = values.filter(([key, value]) => !isTag(key) && value !== null)
  const tags = values.filter(([key, value]) => isTag(key) && value !== null)
  return upgradeServer({
    ...defaultServer,
    ...Object.fromEntries(fields),
    project_id: owner.projectId,
    domain_id: owner.domainId,
    deleted,
    metadata: Object.fromEntries(tags) as Server['metadata'],
  })
}

/** The versions before and after, with what is known of them. */
export function withPartialVersions(record: ChangeRecord): ServerChange {
  const { diff, kinds, owner, formerOwner } = record
  return {
    record,
    before: kinds.includes('appeared')
      ? undefined
      : versionOf(diff, 0, formerOwner, kinds.includes('returned')),
    after: versionOf(diff, 1, owner, kinds.includes('gone')),
  }
}
