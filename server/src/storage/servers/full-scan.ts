import { sql } from 'kysely'
import type { PageQuery } from '../../domain/inventory/ports.ts'
import { toSelection } from './selective-lookup.ts'
import type { OrderTerms } from './order.ts'
import type { Plan, Planner } from './plan.ts'
import { isEverything, type Selection } from './selections.ts'
import { allOf } from './sql-parts.ts'

/** How many servers a filter finds, and which, unless they are too many to remember. */
export interface ScanResult {
  readonly total: number
  readonly selection: Selection | undefined
}

/**
 * Answers filters that no single index of the servers covers, by one pass over all servers. Page and
 * total come from the same pass, since the pass is the expensive part.
 */
export function createFullScan({ engine, run, hint, limits }: Planner, terms: OrderTerms) {
  const { mostFound } = limits
  return {
    isNeeded: ({ isCovered, usesSideTables, query }: Plan): boolean =>
      usesSideTables || (engine === 'sqlite' && !isCovered && !isEverything(query.where)),

    async run(plan: Plan, query: PageQuery): Promise<ScanResult> {
      const { order } = query
      const { scanConditions, scanIndexName } = plan
      const found = sql`found as materialized (select seq from servers${hint(scanIndexName)} where ${allOf(scanConditions)})`
      const counted = sql`counted as (select count(*) as total from found)`
      const some = sql`total <= ${mostFound} and seq in (select seq from found limit ${mostFound + 1})`
      const [rows = []] = await run(
        [
          sql`with ${found}, ${counted} select total, seq, revision, ${terms.keys(order)} from counted left join servers on ${some}${terms.names(order)} order by ${terms.orderBy(order)}`,
        ],
        query.requester,
      )
      const total = Number(rows[0]?.['total'])
      if (total > mostFound) return { total, selection: undefined }
      const hits = rows.filter(({ seq }) => seq !== null)
      return { total, selection: toSelection(hits, order.length === 1) }
    },
  }
}
