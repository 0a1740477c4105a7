import { badField } from '../error.ts'
import { everyServer, type Comparison, type Condition, type Value } from './condition.ts'
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
const mostCostlyConditions = 20

const textSearches = new Set<Comparison>(['like', 'contains', 'startswith', 'endswith'])

interface Weight {
  readonly conditions: number
  readonly values: number
  /** Those that look into another table, or through a whole text, for each candidate. */
  readonly costly: number
}

const none: Weight = { conditions: 0, values: 0, costly: 0 }

const add = (a: Weight, b: Weight): Weight => ({
  conditions: a.conditions + b.conditions,
  values: a.values + b.values,
  costly: a.costly + b.costly,
})

function weigh(condition: Condition): Weight {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.conditions.map(weigh).reduce(add, none)
    case 'not':
      return weigh(condition.condition)
    case 'field': {
      const { comparison, values } = condition
      const costly = textSearches.has(comparison) ? 1 : 0
      return { conditions: 1, values: values.length, costly }
    }
    case 'place':
      return { conditions: 1, values: condition.values.length, costly: 0 }
    case 'search':
    case 'tag':
    case 'address':
      return { conditions: 1, values: 1, costly: 1 }
  }
}

/** Conditions by the parameter that they were read from. */
export type ConditionsOf = readonly [parameter: string, conditions: readonly Condition[]]

/** Limits what one query may cost. The error names the parameter that goes past a limit. */
export function requireModesty(parameters: readonly ConditionsOf[]): void {
  let sum = none
  for (const [parameter, conditions] of parameters) {
    sum = conditions.map(weigh).reduce(add, sum)
    if (sum.conditions > mostConditions) {
      throw badField(parameter, `makes the query exceed ${mostConditions} conditions`)
    }
    if (sum.values > mostValues) {
      throw badField(parameter, `makes the query exceed ${mostValues} values`)
    }
    if (sum.costly > mostCostlyConditions) {
      throw badField(
        parameter,
        `makes the query exceed ${mostCostlyConditions} conditions on tags, texts and addresses. Remove some.`,
      )
    }
  }
}
