import { fieldsUsedFor, servers } from '@muster/contract'
import { isField as isFieldOf, queryFieldsOf, type QueryFields } from '../query/query-fields.ts'
import type { Field, ServerCondition } from './condition.ts'
import { namedOneOf } from './parameter-conditions.ts'
import { parseNetwork } from './parse-network.ts'
import { parseTag } from './parse-tag.ts'

export { callerFields, type CallerField } from '@muster/contract'

/** In `tag:env=prod,dev` the second value is of the first one's key. */
function withKeys(texts: readonly string[]): string[] {
  const [first = ''] = texts
  const end = first.indexOf('=')
  const key = first.slice(0, end + 1)
  return texts.map((text) => (end !== -1 && !text.includes('=') ? key + text : text))
}

export const serverFields: QueryFields<Field, ServerCondition> = {
  ...queryFieldsOf(servers),
  sizes: new Set<Field>(['vmem_size', 'disk']),
  shortNames: {
    cores: 'vcpu_count',
    cpu: 'vcpu_count',
    created: 'created_at',
    domain: 'project_domain',
    expired: 'expired_at',
    expires: 'expired_at',
    gpu: 'is_gpu',
    mem: 'vmem_size',
    memory: 'vmem_size',
    os: 'os_type',
    tags: 'tag',
    type: 'instance_type',
    updated: 'updated_at',
    vcpu: 'vcpu_count',
  },
  special: {
    ip: (texts) => texts.map((text) => parseNetwork(text, 'q')),
    network: (texts) => texts.map((id) => ({ kind: 'network', id })),
    tag: (texts) => withKeys(texts).map((text) => parseTag(text, 'q')),
  },
  named: namedOneOf,
}

/** Every field with its kind. */
export const fields = serverFields.kinds

export const enumerated = serverFields.enumerated

/** The keys of the short object, in its order. */
export const shortFields = fieldsUsedFor(servers, 'short')

export const isField = (name: string): name is Field => isFieldOf(serverFields, name)
