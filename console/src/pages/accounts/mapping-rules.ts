import type { AccountRule, FieldProblem } from '@muster/contract'

export const conditions = ['tenant', 'tag', 'account', 'name'] as const
type Condition = (typeof conditions)[number]

/** A rule being edited, with a stable key. */
export type DraftRule = Readonly<Record<Condition, string>> & {
  readonly key: number
  readonly projectId: string
}

export const draftsOf = (mapping: readonly AccountRule[]): readonly DraftRule[] =>
  mapping.map(({ tenant = '', tag = '', account = '', name = '', project_id }, key) => ({
    key,
    tenant,
    tag,
    account,
    name,
    projectId: project_id,
  }))

export const mappingOf = (drafts: readonly DraftRule[]): AccountRule[] =>
  drafts.map(({ projectId, ...rule }) => ({
    ...Object.fromEntries(
      conditions.map((name) => [name, rule[name].trim()]).filter(([, text]) => text !== ''),
    ),
    project_id: projectId,
  }))

export const isSameMapping = (one: readonly AccountRule[], other: readonly AccountRule[]) =>
  JSON.stringify(mappingOf(draftsOf(one))) === JSON.stringify(mappingOf(draftsOf(other)))

export function addRule(drafts: readonly DraftRule[]): readonly DraftRule[] {
  const key = Math.max(-1, ...drafts.map((draft) => draft.key)) + 1
  return [...drafts, { key, tenant: '', tag: '', account: '', name: '', projectId: '' }]
}

export const removeRule = (drafts: readonly DraftRule[], key: number) =>
  drafts.filter((draft) => draft.key !== key)

export const replaceRule = (drafts: readonly DraftRule[], rule: DraftRule) =>
  drafts.map((draft) => (draft.key === rule.key ? rule : draft))

/** Moves a rule up or down by one. */
export function moveRule(drafts: readonly DraftRule[], key: number, by: -1 | 1) {
  const from = drafts.findIndex((draft) => draft.key === key)
  const rule = drafts[from]
  const other = drafts[from + by]
  if (!rule || !other) return drafts
  return drafts.with(from, other).with(from + by, rule)
}

export type RuleProblem = 'condition' | 'project' | { readonly apiError: string }

/** Validation errors by rule key. */
export function checkRules(drafts: readonly DraftRule[]): ReadonlyMap<number, RuleProblem> {
  const problems = new Map<number, RuleProblem>()
  for (const draft of drafts) {
    if (conditions.every((name) => draft[name].trim() === '')) problems.set(draft.key, 'condition')
    else if (draft.projectId === '') problems.set(draft.key, 'project')
  }
  return problems
}

/** The API's errors by rule key, from paths such as `mapping.3.project_id`. */
export function ruleProblemsFrom(
  fields: readonly FieldProblem[],
  drafts: readonly DraftRule[],
): ReadonlyMap<number, RuleProblem> {
  const problems = new Map<number, RuleProblem>()
  for (const { path, problem } of fields) {
    const [, index] = /^(?:cloudaccount\.)?mapping\.(\d+)/.exec(path) ?? []
    const key = index === undefined ? undefined : drafts[Number(index)]?.key
    if (key !== undefined && !problems.has(key)) problems.set(key, { apiError: problem })
  }
  return problems
}
