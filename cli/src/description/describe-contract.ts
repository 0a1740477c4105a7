import * as contract from '@muster/contract'
import type { Operation } from '@muster/contract'
import { describeNouns, type DescribedResource } from './describe-nouns.ts'
import { describeParameters, type Schema } from './describe-parameters.ts'
import type { Description, OperationFacts } from './description.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const isResource = (value: unknown): value is DescribedResource =>
  isObject(value) && typeof value['keys'] === 'string' && isObject(value['fields'])

/** All descriptions of resources that the contract exports, alone or in a table. */
const resources = (): DescribedResource[] =>
  Object.values(contract).flatMap((exported: unknown) =>
    isObject(exported) ? [exported, ...Object.values(exported)].filter(isResource) : [],
  )

/** Commands describe every operation as data, so that they need not load the contract. */
export function describeContract(): Description {
  const operations = (contract.operations as readonly Operation[]).filter(
    ({ method }) => method !== 'HEAD',
  )
  const facts = operations.map(describeOperation)
  return {
    operations: Object.fromEntries(facts.map((each) => [each.id, each])),
    nouns: describeNouns(facts, resources()),
  }
}

function describeOperation(operation: Operation): OperationFacts {
  const { id, method, path, summary, description, permission, query, body } = operation
  const answer = describeAnswer(operation)
  return {
    id,
    method,
    path,
    summary,
    ...(description !== undefined && { description }),
    ...(permission && {
      permission: `${permission.service} ${permission.resource} ${permission.action}`,
    }),
    query: query ? describeParameters(query) : [],
    ...(body && { body: describeBody(body) }),
    ...(answer && { answer }),
  }
}

/** A body with one object has its fields in that object. */
function describeBody(schema: Schema): NonNullable<OperationFacts['body']> {
  const [entry, ...others] = Object.entries(schema.properties ?? {})
  const isWrapped = entry?.[1].type === 'object' && others.length === 0
  if (!entry || !isWrapped) return { fields: describeParameters(schema) }
  const [key, inner] = entry
  return { key, fields: describeParameters(inner) }
}

function describeAnswer({ id, responses }: Operation): OperationFacts['answer'] {
  const found = [200, 201, 202].map((status) => responses[status]).find((each) => each?.body)
  if (!found) return undefined
  if (found.contentType?.startsWith('text/') === true) return { kind: 'text', fields: [] }
  const schema = found.body as Schema
  const properties = Object.entries(schema.properties ?? {})
  const list = properties.find(([, { type }]) => type === 'array')
  const isList = list !== undefined && (id.startsWith('list') || properties.length > 1)
  if (list && (isList || properties.length === 1)) {
    return { kind: 'list', key: list[0], fields: describeParameters(list[1].items ?? {}) }
  }
  const [entry] = properties
  if (entry?.[1].properties && properties.length === 1) {
    return { kind: 'item', key: entry[0], fields: describeParameters(entry[1]) }
  }
  return { kind: 'value', fields: describeParameters(schema) }
}
