import type { MappingRule } from '@muster/contract'

/** Whom a rule applies to: everybody, or people with a value or one that matches a pattern. */
export const appliesTo = ['everybody', 'value', 'pattern'] as const

export interface Draft {
  /** Keeps the focus when a rule above is removed. */
  readonly key: number
  readonly to: (typeof appliesTo)[number]
  readonly attribute: string
  /** The value or the pattern. */
  readonly text: string
  readonly roleId: string
  /** `project_id:` or `domain_id:` and the id. */
  readonly place: string
}

const toOf = ({ attribute, pattern }: MappingRule): Draft['to'] => {
  if (attribute === undefined) return 'everybody'
  return pattern === undefined ? 'value' : 'pattern'
}

export const draftsOf = (mapping: readonly MappingRule[]): readonly Draft[] =>
  mapping.map((rule, key) => ({
    key,
    to: toOf(rule),
    attribute: rule.attribute ?? '',
    text: rule.pattern ?? rule.value ?? '',
    roleId: rule.role_id,
    place:
      rule.project_id === undefined
        ? `domain_id:${rule.domain_id}`
        : `project_id:${rule.project_id}`,
  }))

export const addDraft = (drafts: readonly Draft[], attribute: string): readonly Draft[] => [
  ...drafts,
  {
    key: Math.max(-1, ...drafts.map(({ key }) => key)) + 1,
    to: 'value',
    attribute,
    text: '',
    roleId: '',
    place: '',
  },
]

export const mappingOf = (drafts: readonly Draft[]): MappingRule[] =>
  drafts.map(({ to, attribute, text, roleId, place }) => {
    const [key = '', id = ''] = place.split(':', 2)
    return {
      ...(to !== 'everybody' && { attribute, [to]: text }),
      role_id: roleId,
      ...(key !== '' && { [key]: id }),
    }
  })

/** Rules that lack something, so that the API would refuse them. */
export const isComplete = ({ to, attribute, text, roleId, place }: Draft): boolean =>
  roleId !== '' && place !== '' && (to === 'everybody' || (attribute !== '' && text !== ''))
