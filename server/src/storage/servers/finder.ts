import { sql } from 'kysely'
import type { Owners } from '../../domain/inventory/owners.ts'
import type { PageQuestion, ServerFinder } from '../../domain/inventory/ports.ts'
import { scopeIdOf, type ScopeOrNone } from '../../domain/scope.ts'
import type { Database, Pace } from '../database.ts'
import { createDocuments } from './documents.ts'
import { createFew } from './few.ts'
import { createLoadById } from './load-by-id.ts'
import { createFindByName } from './find-by-name.ts'
import { createMany } from './many.ts'
import { asksForNames } from './names-asked.ts'
import { createOrderTerms, readKeys } from './order.ts'
import { createPlanner, isEverything, usualLimits, type Limits } from './plan.ts'
import { createSelections } from './selections.ts'
import { createStatistics } from './statistics.ts'
import { createSweep } from './sweep.ts'

/** How far from the beginning a page may be for the serving thread to go there. */
const shortWalk = 2_000

const isPlainOrder = ({ order }: PageQuestion) =>
  order.length === 1 && order[0]?.field === 'created_at'

/** What an index answers at once stays on the serving thread; everything else is out of its way. */
const paceOf = (question: PageQuestion): Pace =>
  question.isStreamed !== true &&
  question.view === 'live' &&
  isEverything(question.where) &&
  isPlainOrder(question) &&
  question.offset <= shortWalk
    ? 'quick'
    : question.requester

let epochs = 0
const knownEpochs = new WeakMap<object, number>()

/** Another number for other names. */
function epochOf(names: object): number {
  const epoch = knownEpochs.get(names) ?? (epochs += 1)
  knownEpochs.set(names, epoch)
  return epoch
}

/** Finds servers and what is shown of them. */
export function createServerFinder(
  database: Database,
  owners: Owners,
  limits: Limits = usualLimits,
): ServerFinder {
  const terms = createOrderTerms(database.engine)
  const planner = createPlanner(database, owners, limits)
  const few = createFew(database, planner, terms)
  const sweep = createSweep(planner, terms)
  const findAmongMany = createMany(planner, terms)
  const selections = createSelections()

  const versionOf = (scope: ScopeOrNone): number | undefined =>
    database.fleetVersion(scopeIdOf(scope))

  /** What is remembered of a question holds for as long as this is the same. */
  async function rememberedBy(question: PageQuestion): Promise<string | undefined> {
    const fleet = versionOf(question.scope)
    if (fleet === undefined) return undefined
    return asksForNames(question) ? `${fleet} ${epochOf(await owners.byProject())}` : `${fleet}`
  }

  async function find(question: PageQuestion) {
    // Taken before anything is read: what is written meanwhile makes it old, never wrongly fresh.
    const version = await rememberedBy(question)
    let selection = question.isAnew ? undefined : selections.find(question, version)
    if (!selection) {
      const pace = paceOf(question)
      const plan = await planner.plan(question)
      let total = question.isAnew ? undefined : selections.total(question, version)
      selection = await few.select(plan, question, pace)
      if (!selection && total === undefined && sweep.isNeeded(plan)) {
        ;({ total, selection } = await sweep.sweep(plan, question))
      }
      if (!selection) {
        const page = await findAmongMany(plan, question, total, pace)
        selections.rememberTotal(question, version, page.total)
        return page
      }
      selections.remember(question, version, selection)
    }
    return question.after
      ? await few.pageAfter(selection, await planner.plan(question), question)
      : few.pageOf(selection, question)
  }

  return {
    version: versionOf,
    find,
    load: createDocuments(database),
    loadById: createLoadById(database),
    findByName: createFindByName(database, planner),
    count: createStatistics(planner, owners),

    async position({ seq, revision }, order) {
      const keys = planner.select(
        sql`id, ${terms.keys(order)}`,
        undefined,
        [sql`seq = ${seq}`, sql`revision = ${revision}`],
        terms.names(order),
      )
      const [rows] = await planner.ask([keys], 'quick')
      const [row] = rows ?? []
      return row && { keys: readKeys(row, order), id: String(row['id']) }
    },
  }
}
