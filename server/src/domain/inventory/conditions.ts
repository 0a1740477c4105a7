import { badField } from '../error.ts'
import { everyServer, type Condition, type Value } from './condition.ts'
import type { Field } from './fields.ts'

/** All of them must hold. */
export function allOf(conditions: readonly Condition[]): Condition {
  const [first, ...rest] = conditions
  if (!first) return everyServer
  return rest.length === 0 ? first : { kind: 'all', conditions }
}

/** One of them is enough. There is at least one. */
export function anyOf(conditions: readonly Condition[]): Condition {
  const [first, ...rest] = conditions
  return first && rest.length === 0 ? first : { kind: 'any', conditions }
}

export const not = (condition: Condition): Condition => ({ kind: 'not', condition })

/** The field says one of these. */
export const oneOf = (field: Field, values: readonly Value[]): Condition => ({
  kind: 'field',
  field,
  comparison: values.length === 1 ? 'equals' : 'in',
  values,
})

const mostConditions = 100
const mostValues = 1000

/** How many things there are to look at in a condition, and how many values to hold them against. */
function weigh(condition: Condition): { parts: number; values: number } {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const weights = condition.conditions.map(weigh)
      return {
        parts: weights.reduce((sum, { parts }) => sum + parts, 0),
        values: weights.reduce((sum, { values }) => sum + values, 0),
      }
    }
    case 'not':
      return weigh(condition.condition)
    case 'field':
    case 'place':
      return { parts: 1, values: condition.values.length }
    case 'search':
    case 'tag':
    case 'address':
      return { parts: 1, values: 1 }
  }
}

/** Nobody writes so many by hand, and each costs. */
export function demandModesty(condition: Condition): void {
  const { parts, values } = weigh(condition)
  if (parts > mostConditions)
    throw badField('query', `holds more than ${mostConditions} conditions`)
  if (values > mostValues) throw badField('query', `holds more than ${mostValues} values`)
}
