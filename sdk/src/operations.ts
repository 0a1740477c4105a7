import type { Api } from './contract.ts'

/** All operations of the public API and of the gateway. */
export type AnyOperationId = keyof Api

/** The input of an operation. */
export type Input<Id extends AnyOperationId> = Api[Id]['input']

/** The input is optional if all its fields are. */
export type Arguments<Id extends AnyOperationId> =
  Partial<Input<Id>> extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>]

/** The body of a successful response. */
export type Output<Id extends AnyOperationId> = Api[Id]['output']

type Listed<Answer> = {
  [Key in keyof Answer]-?: Answer[Key] extends readonly (infer Item)[] ? Item : never
}[keyof Answer]

/** The item type of a list. */
export type Item<Id extends AnyOperationId> = Listed<Output<Id>>

/** Operations that return pages of a list. */
export type ListId = {
  [Id in AnyOperationId]: Output<Id> extends { readonly links: object } | { readonly limit: number }
    ? [Item<Id>] extends [never]
      ? never
      : Id
    : never
}[AnyOperationId]

/** Lists that can be exported as a whole, a line of JSON for each item. */
export type ExportId = {
  [Id in ListId]: Input<Id> extends { readonly query?: infer Query }
    ? 'ndjson' extends NonNullable<Query>['format' & keyof NonNullable<Query>]
      ? Id
      : never
    : never
}[ListId]
