import type {
  serverChangeOperations,
  serverDiffOperations,
  ServerDiffQuery,
} from '@muster/contract'
import { badField } from '../../domain/error.ts'
import { compareServers } from '../../domain/inventory/history/compare-servers.ts'
import type { CountChanges } from '../../domain/inventory/history/count-changes.ts'
import type { DiffServers } from '../../domain/inventory/history/diff-servers.ts'
import type { ExportChanges } from '../../domain/inventory/history/export-changes.ts'
import type { FollowChanges } from '../../domain/inventory/history/follow-changes.ts'
import type { ListChanges } from '../../domain/inventory/history/list-changes.ts'
import type { RedactHistory } from '../../domain/inventory/history/redact-history.ts'
import { chooseFormat } from '../../domain/query/choose-format.ts'
import { renderList } from '../../domain/query/render-list.ts'
import { answerExport } from '../answer-export.ts'
import { nextLink } from '../next-link.ts'
import type { HandlersFor } from '../register-operations.ts'
import type { InventoryReads } from './handlers.ts'
import type { ReadAtMoment } from './read-at.ts'
import { gapsHeader } from './render-gaps.ts'

export interface ChangeUseCases {
  readonly listChanges: ListChanges
  readonly exportChanges: ExportChanges
  readonly followChanges: FollowChanges
  readonly countChanges: CountChanges
  readonly diffServers: DiffServers
  readonly redactHistory: RedactHistory
}

/** The two forms of the operation share no parameter but the scope. */
function requireOneForm(given: ServerDiffQuery): void {
  const { scope: _, ...query } = given
  if ((query.from === undefined) === (query.ids === undefined)) {
    throw badField('from', 'or ids is required, and not both')
  }
  const { ids, as_of: asOf, ...ofMoments } = query
  const [wrong] = ids === undefined ? (asOf === undefined ? [] : ['as_of']) : Object.keys(ofMoments)
  if (wrong !== undefined) {
    throw badField(wrong, `cannot be combined with ${ids === undefined ? 'from' : 'ids'}`)
  }
}

/** Handlers for operations on the changes of servers. */
export const createChangeHandlers = (
  useCases: ChangeUseCases,
  { baseUrl }: { readonly baseUrl: string },
  readServerAt: ReadAtMoment<Pick<InventoryReads, 'getServer'>>,
): HandlersFor<typeof serverChangeOperations | typeof serverDiffOperations> => ({
  async getServerChanges({ caller, query: { after, wait, ...parameters }, accept, url }) {
    if (after !== undefined) {
      const asked = { ...parameters, after, ...(wait !== undefined && { wait }) }
      const { items, ...rest } = await useCases.followChanges(caller, asked)
      return { status: 200, body: await renderList('changes', items, (item) => item, rest) }
    }
    if (wait !== undefined) throw badField('wait', 'needs after')
    const { format, ...query } = parameters
    const wanted = format ?? chooseFormat(accept)
    if (wanted !== 'json') {
      return answerExport('changes', wanted, await useCases.exportChanges(caller, query, wanted))
    }
    const { items, limit, next } = await useCases.listChanges(caller, query)
    return {
      status: 200,
      body: await renderList('changes', items, (item) => item, { limit }),
      headers: nextLink(baseUrl + url, next === undefined ? undefined : { marker: next }),
    }
  },

  async redactServerHistory({ caller, parameters, body }) {
    const redaction = await useCases.redactHistory(caller, parameters.id, body.redaction)
    return { status: 200, body: { redaction } }
  },

  async getServerChangeStatistics({ caller, query }) {
    return { status: 200, body: await useCases.countChanges(caller, query) }
  },

  async getServerDiff({ caller, query, url, prefer, onEnd }) {
    requireOneForm(query)
    const { ids, scope } = query
    if (ids !== undefined) {
      const { reads, headers } = await readServerAt(
        { caller, query, url, prefer, onEnd },
        { defaultScope: 'max' },
      )
      return {
        status: 200,
        headers,
        body: await compareServers(reads.getServer, caller, ids, scope),
      }
    }
    const { body, items, gaps, limit, next } = await useCases.diffServers(caller, query)
    const head = JSON.stringify(body)
    const [first = Buffer.of(), ...others] = await renderList('items', items, (item) => item, {
      limit,
    })
    return {
      status: 200,
      // The counts come first.
      body: [Buffer.from(`${head.slice(0, -1)},`), first.subarray(1), ...others],
      headers: {
        ...nextLink(baseUrl + url, next === undefined ? undefined : { marker: next }),
        ...gapsHeader(gaps),
      },
    }
  },
})
