import { badField } from '../error.ts'
import type { Comparison, Condition, FieldCondition, OtherCondition, Value } from './condition.ts'

type AnyCondition = Condition<string, OtherCondition>

/** All of them must match. */
export function allOf<C extends AnyCondition>(conditions: readonly C[]) {
  const [first] = conditions
  return first && conditions.length === 1 ? first : ({ kind: 'all', conditions } as const)
}

/** One of them must match. The list is not empty. */
export function anyOf<C extends AnyCondition>(conditions: readonly C[]) {
  const [first] = conditions
  return first && conditions.length === 1 ? first : ({ kind: 'any', conditions } as const)
}

export const not = <C extends AnyCondition>(condition: C) => ({ kind: 'not', condition }) as const

/** The field has one of these values. */
export const oneOf = <Field extends string>(
  field: Field,
  values: readonly Value[],
): FieldCondition<Field> => ({
  kind: 'field',
  field,
  comparison: values.length === 1 ? 'equals' : 'in',
  values,
})

const mostConditions = 100
const mostValues = 1000
const mostCostlyConditions = 20

/** Comparisons that look into a text. */
export const textComparisons: ReadonlySet<Comparison> = new Set([
  'like',
  'contains',
  'startswith',
  'endswith',
])

interface Weight {
  readonly conditions: number
  readonly values: number
  /** Conditions that read another table or a whole text for each candidate. */
  readonly costly: number
}

const none: Weight = { conditions: 0, values: 0, costly: 0 }

const add = (a: Weight, b: Weight): Weight => ({
  conditions: a.conditions + b.conditions,
  values: a.values + b.values,
  costly: a.costly + b.costly,
})

function weigh(condition: AnyCondition): Weight {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.conditions.map(weigh).reduce(add, none)
    case 'not':
      return weigh(condition.condition)
    case 'field': {
      const { comparison, values } = condition
      const costly = textComparisons.has(comparison) ? 1 : 0
      return { conditions: 1, values: values.length, costly }
    }
    case 'search':
      return { conditions: 1, values: 1, costly: 1 }
    case 'resource':
    case 'tag':
    case 'address':
    case 'network': {
      const { values } = condition
      return { conditions: 1, values: values?.length ?? 1, costly: values ? 0 : 1 }
    }
  }
}

/** Conditions by the parameter that they were read from. */
export type ConditionsOf<Field extends string, Other extends OtherCondition = never> = readonly [
  parameter: string,
  conditions: readonly Condition<Field, Other>[],
]

/** Limits what one query may cost. The error names the parameter that goes past a limit. */
export function requireWithinLimits(
  parameters: readonly ConditionsOf<string, OtherCondition>[],
): void {
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
        `makes the query exceed ${mostCostlyConditions} conditions that look into texts, tags or addresses. Remove some.`,
      )
    }
  }
}
