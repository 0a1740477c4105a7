import type { AccountRule } from '@muster/contract'
import fc from 'fast-check'
import type { MappingSubject } from '../../domain/sources/mapping.ts'

/** A glob as a regular expression. The product uses another algorithm. */
function matches(text: string, pattern: string): boolean {
  const literal = pattern.split('*').map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`))
  return new RegExp(`^${literal.join('[^]*')}$`).test(text)
}

function holds(rule: AccountRule, { name, tenant, tags }: MappingSubject, account: string) {
  const { tag = '*', tenant: wanted } = rule
  const [, key = '', , value = '*'] = /^([^=]*)(=(.*))?$/s.exec(tag) ?? []
  const tagged = Object.entries(tags).filter(([k, v]) => matches(k, key) && matches(v, value))
  const tenants = tenant
    ? [tenant.id, tenant.name].filter((word) => matches(word, wanted ?? '*'))
    : []
  return ![
    rule.tag !== undefined && tagged.length === 0,
    wanted !== undefined && tenants.length === 0,
    rule.account !== undefined && !matches(account, rule.account),
    rule.name !== undefined && !matches(name, rule.name),
  ].includes(true)
}

/** The index of the first matching rule, -1 for none. Ignored rules are undefined. */
export const firstRule = (
  rules: readonly (AccountRule | undefined)[],
  subject: MappingSubject,
  account: string,
): number => rules.findIndex((rule) => rule !== undefined && holds(rule, subject, account))

/** Few words, so that rules match servers. */
const words = ['web', 'db', 'web-1', 'db-1', '42', '421', 'aws prod']
const keys = ['team', 'tier', 'env']
const word = fc.constantFrom(...words)
const key = fc.constantFrom(...keys)
const pattern = fc.oneof(word, fc.constantFrom('web*', '*1', '*-*', '4*', '*', 'aws*', 'w*b'))
const tagPattern = fc.oneof(
  key,
  fc.constantFrom('t*', '*=web', 't*=*1', 'env=', 'none'),
  fc.tuple(key, pattern).map(([name, value]) => `${name}=${value}`),
)

/** Rules that lead to one of these projects, each with a condition at least. */
export const ruleOf = (projectIds: readonly string[]): fc.Arbitrary<AccountRule> =>
  fc
    .record(
      {
        tenant: pattern,
        tag: tagPattern,
        account: pattern,
        name: pattern,
        project_id: fc.constantFrom(...projectIds),
      },
      { requiredKeys: ['project_id'] },
    )
    .filter((rule) => Object.keys(rule).length > 1)

export const anySubject: fc.Arbitrary<MappingSubject> = fc.record({
  name: word,
  tenant: fc.option(fc.record({ id: word, name: word }), { nil: undefined }),
  tags: fc.dictionary(key, fc.oneof(word, fc.constant('')), { maxKeys: 3 }),
})
