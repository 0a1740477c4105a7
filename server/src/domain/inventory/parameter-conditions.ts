import { anyOf, oneOf } from '../query/conditions.ts'
import { namedResources, type Condition, type NamedResource, type Field } from './condition.ts'

/** Parameters that take the id or the name of a resource. */
const resourceParameters: Readonly<Record<string, NamedResource>> = {
  ...(Object.fromEntries(namedResources.map((resource) => [resource, resource])) as Record<
    NamedResource,
    NamedResource
  >),
  tenant: 'project',
  cloudregion: 'region',
}

/** Further resources that Cloudpods' clients refer to by id or name. */
const idOrName: Readonly<Record<string, readonly [Field, Field]>> = {
  project_domain: ['domain_id', 'project_domain'],
  secgroup: ['secgrp_id', 'secgroup'],
  vpc: ['vpc_id', 'vpc'],
}

/** Names that climc uses for fields of a server. */
const spellings: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  cloud_env: { private_or_onpremise: ['private', 'onpremise'] },
}

/** Equality of a name that stands for more than one field: the id or the name of a resource. */
export function namedOneOf(name: string, texts: readonly string[]): Condition | undefined {
  const resource = Object.hasOwn(resourceParameters, name) ? resourceParameters[name] : undefined
  if (resource) return { kind: 'resource', resource, values: texts }
  const pair = Object.hasOwn(idOrName, name) ? idOrName[name] : undefined
  if (pair) return anyOf(pair.map((field) => oneOf(field, texts)))
  const known = Object.hasOwn(spellings, name) ? spellings[name] : undefined
  if (!known) return undefined
  const spelled = texts.flatMap((text) =>
    Object.hasOwn(known, text) ? (known[text] ?? []) : [text],
  )
  return oneOf(name as Field, spelled)
}
