import type { AdministeredResources, OperationId, Wire } from '@muster/contract'
import { administrationNames, pageKinds, type PageKind } from '@muster/contract/names'

/** The entities of identity, by the name of their collection. */
export type Entities = { readonly [K in PageKind]: Wire<AdministeredResources[K]> }
export type Kind = PageKind
export type AnyEntity = Entities[Kind]

interface Operations {
  /** As on the wire: `{"user": …}`. */
  readonly key: string
  readonly list: OperationId
  readonly get: OperationId
  readonly create: OperationId
  readonly update: OperationId
  readonly delete: OperationId
  /** For kinds whose deletion deletes other entities too. */
  readonly impact?: OperationId | undefined
}

const impacts: Readonly<Partial<Record<Kind, OperationId>>> = {
  projects: 'getProjectImpact',
  users: 'getUserImpact',
  domains: 'getDomainImpact',
}

function operationsOn(kind: Kind): Operations {
  const { key, noun, nouns } = administrationNames[kind]
  return {
    key,
    list: `list${nouns}`,
    get: `get${noun}`,
    create: `create${noun}`,
    update: `update${noun}`,
    delete: `delete${noun}`,
    impact: impacts[kind],
  }
}

/** In the order of the tabs. */
export const kinds: readonly Kind[] = pageKinds

/** The operations on each kind of entity. */
export const kindOperations = Object.fromEntries(
  kinds.map((kind) => [kind, operationsOn(kind)]),
) as Readonly<Record<Kind, Operations>>

export const isKind = (word: string | undefined): word is Kind =>
  word !== undefined && Object.hasOwn(kindOperations, word)
