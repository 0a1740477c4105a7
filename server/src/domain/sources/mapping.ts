import type { AccountRule } from '@muster/contract'
import { matchesGlob } from '../glob.ts'

/** What mapping rules match on. */
export interface MappingSubject {
  readonly name: string
  readonly tenant: { readonly id: string; readonly name: string } | undefined
  readonly tags: Readonly<Record<string, string>>
}

/** The project of a server and the index of the rule that chose it; -1 for the default project. */
export interface Mapped {
  readonly projectId: string
  readonly rule: number
}

export type Mapping = (subject: MappingSubject) => Mapped

interface Settings {
  readonly mapping: readonly AccountRule[]
  readonly project_id: string
  readonly name: string
}

function hasTag(tags: MappingSubject['tags'], wanted: string): boolean {
  const at = wanted.indexOf('=')
  const [key, value] = at === -1 ? [wanted, '*'] : [wanted.slice(0, at), wanted.slice(at + 1)]
  return Object.entries(tags).some(
    ([name, text]) => matchesGlob(name, key) && matchesGlob(text, value),
  )
}

const isTenant = ({ tenant }: MappingSubject, wanted: string): boolean =>
  tenant !== undefined && (matchesGlob(tenant.id, wanted) || matchesGlob(tenant.name, wanted))

const matchesRule = (rule: AccountRule, subject: MappingSubject, account: string): boolean =>
  (rule.tenant === undefined || isTenant(subject, rule.tenant)) &&
  (rule.tag === undefined || hasTag(subject.tags, rule.tag)) &&
  (rule.account === undefined || matchesGlob(account, rule.account)) &&
  (rule.name === undefined || matchesGlob(subject.name, rule.name))

/** Rules with only an exact tenant are looked up in a map, because there may be thousands. */
const isTenantOnly = ({ tenant, tag, account, name }: AccountRule): boolean =>
  tenant !== undefined &&
  !tenant.includes('*') &&
  tag === undefined &&
  account === undefined &&
  name === undefined

/** Compiles the rules of an account. Rules with a deleted project are ignored. */
export function compileMapping(
  { mapping, project_id, name }: Settings,
  projects: ReadonlyMap<string, unknown>,
): Mapping {
  const rules = [...mapping.entries()].filter(([, rule]) => projects.has(rule.project_id))
  const tenantRules = new Map<string, number>()
  for (const [index, rule] of rules) {
    const { tenant = '' } = rule
    if (isTenantOnly(rule) && !tenantRules.has(tenant)) tenantRules.set(tenant, index)
  }
  const others = rules.filter(([, rule]) => !isTenantOnly(rule))

  function findRule(subject: MappingSubject): number {
    const { id = '', name: tenant = '' } = subject.tenant ?? {}
    const byTenant = subject.tenant
      ? Math.min(tenantRules.get(id) ?? Infinity, tenantRules.get(tenant) ?? Infinity)
      : Infinity
    const [other = Infinity] =
      others.find(([index, rule]) => index > byTenant || matchesRule(rule, subject, name)) ?? []
    const first = Math.min(byTenant, other)
    return first === Infinity ? -1 : first
  }

  return (subject) => {
    const rule = findRule(subject)
    return { rule, projectId: mapping[rule]?.project_id ?? project_id }
  }
}
