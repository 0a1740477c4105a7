import { personaNames, type PersonaName, type Side } from './start-platform-world.ts'

/** Groups of personas; `others` are all with a valid token that a row does not mention. */
const groups: Readonly<Record<string, readonly PersonaName[]>> = {
  everyone: personaNames,
  members: ['viewer', 'editor', 'owner'],
  admins: ['admin', 'adminByKey'],
}
const withoutToken: readonly PersonaName[] = ['none', 'expired', 'revoked']

/**
 * What an operation does for a persona. `notListed` is a successful list without the resource, and a
 * `badRequest` refers to a resource that the persona does not see.
 */
type Outcome =
  | 'allowed'
  | 'notListed'
  | 'unauthenticated'
  | 'forbidden'
  | 'notFound'
  | 'badRequest'
  | 'conflict'

/** Personas by outcome, separated by spaces. Without a valid token it is `unauthenticated`. */
type RowText = Readonly<Partial<Record<Outcome, string>>>

/**
 * A row for each place of the resource: in the project of the members, in another project of their
 * domain, in another domain, and the caller's own. `any` is for a resource at home and for one in another
 * domain alike. A single row is for what belongs to no domain.
 */
export type Rule = RowText | { readonly any: RowText } | Readonly<Partial<Record<Spot, RowText>>>
export type Spot = Side | 'self'

export type Row = Readonly<Record<PersonaName, Outcome>>

/** The outcome of each persona. Every persona has exactly one. */
function readRow(text: RowText): Row {
  const row = new Map<string, Outcome>()
  const add = (name: string, outcome: Outcome) => {
    if (row.has(name) || !personaNames.some((known) => known === name)) {
      throw new Error(`the persona table has ${name} twice in a row, or it is no persona`)
    }
    row.set(name, outcome)
  }
  const outcomes = Object.entries(text) as [Outcome, string][]
  const mentioned = outcomes.flatMap(([outcome, who]) =>
    who.split(' ').map((name) => [name, outcome] as const),
  )
  for (const [name, outcome] of mentioned) {
    if (name !== 'others') for (const one of groups[name] ?? [name]) add(one, outcome)
  }
  for (const name of withoutToken) if (!row.has(name)) add(name, 'unauthenticated')
  const [rest, ...further] = mentioned
    .filter(([name]) => name === 'others')
    .map(([, outcome]) => outcome)
  if (further.length > 0) throw new Error(`others twice: ${JSON.stringify(text)}`)
  for (const name of personaNames) if (rest && !row.has(name)) add(name, rest)
  if (row.size !== personaNames.length) throw new Error(`incomplete: ${JSON.stringify(text)}`)
  return Object.fromEntries(row) as unknown as Row
}

/** What a rule says, row by row. */
export function rowsOfRule(rule: Rule): [Spot, Row][] {
  if ('any' in rule)
    return (['home', 'otherDomain'] as const).map((spot) => [spot, readRow(rule.any)])
  const byPlace = 'home' in rule ? rule : { home: rule }
  return Object.entries(byPlace).map(([spot, row]) => [spot as Spot, readRow(row as RowText)])
}
