import { background } from '../../domain/inventory/ports.ts'
import type { Database, Query, Row } from '../../storage/database.ts'

/** A step of a plan that runs once for each row of another step, and what it does then. */
export interface RepeatedStep {
  readonly text: string
  /** Whether it goes straight to the rows of one server (or of one key), rather than through many. */
  readonly isLookup: boolean
}

const sideTables = /\bserver(s|_tags|_addresses|_texts|_search)(_|\b)/

/** SQLite describes each loop in one line. All loops of one select but the first are nested in it. */
function sqliteSteps(rows: readonly Row[]): RepeatedStep[] {
  const nodes = rows.map((row) => ({
    id: Number(row['id']),
    parent: Number(row['parent']),
    text: String(row['detail']),
  }))
  const parents = new Map(nodes.map((node) => [node.id, node]))
  const isLoop = (text: string) => /^(SCAN|SEARCH) /.test(text)
  const isCorrelated = (id: number): boolean => {
    const node = parents.get(id)
    return node !== undefined && (node.text.startsWith('CORRELATED') || isCorrelated(node.parent))
  }
  const isNested = ({ id, parent }: (typeof nodes)[number]) =>
    nodes.some((other) => other.parent === parent && other.id < id && isLoop(other.text))
  return nodes
    .filter((node) => isLoop(node.text) && sideTables.test(node.text))
    .filter((node) => isCorrelated(node.parent) || isNested(node))
    .map(({ text }) => ({ text, isLookup: /^SEARCH .*\((server|rowid|seq)=\?/.test(text) }))
}

interface PostgresNode {
  readonly 'Node Type': string
  readonly 'Parent Relationship'?: string
  readonly 'Subplan Name'?: string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PostgresNode[]
}

/** PostgreSQL repeats a subplan that it does not hash, and the inner side of a nested loop. */
function postgresSteps(root: PostgresNode): RepeatedStep[] {
  const hashed = new Set(JSON.stringify(root).match(/(?<=hashed )SubPlan \d+/g))
  const steps: RepeatedStep[] = []
  function walk(node: PostgresNode, isRepeated: boolean, isOneKey: boolean): void {
    const condition = node['Index Cond'] ?? ''
    const isLookup = isOneKey || /\b(server|seq) = /.test(condition)
    const reads = node['Relation Name'] ?? node['Index Name'] ?? ''
    if (isRepeated && sideTables.test(reads)) {
      const isAround = (node.Plans ?? []).some((inner) => inner['Node Type'].startsWith('Bitmap'))
      const text = `${node['Node Type']} ${reads} ${condition}`
      if (!isAround) steps.push({ text, isLookup })
    }
    for (const inner of node.Plans ?? []) {
      const relation = inner['Parent Relationship']
      // A few codes of words on the outer side are not a repetition for each server.
      const isInner =
        node['Node Type'] === 'Nested Loop' &&
        relation === 'Inner' &&
        sideTables.test(JSON.stringify(node.Plans?.[0]))
      const isSubPlan = relation === 'SubPlan' && !hashed.has(inner['Subplan Name'] ?? '')
      const isOnce = relation === 'InitPlan' || (relation === 'SubPlan' && !isSubPlan)
      walk(inner, !isOnce && (isRepeated || isInner || isSubPlan), isLookup && isInner)
    }
  }
  walk(root, false, false)
  return steps
}

/** What a database would do again and again to answer a query. */
export async function repeatedSteps(
  { engine, run }: Pick<Database, 'engine' | 'run'>,
  { sql, parameters }: Query,
): Promise<RepeatedStep[]> {
  const explain = engine === 'postgres' ? 'explain (format json)' : 'explain query plan'
  const [rows = []] = await run([{ sql: `${explain} ${sql}`, parameters }], background)
  if (engine === 'sqlite') return sqliteSteps(rows)
  const plans = rows.flatMap((row) => row['QUERY PLAN'] as { readonly Plan: PostgresNode }[])
  return plans.flatMap(({ Plan }) => postgresSteps(Plan))
}
