import type {
  ResponseBodyOf,
  BodyOf,
  gatewayOperations,
  HeadersOf,
  operations,
  ParametersOf,
  QueryOf,
} from '@muster/contract'

type AnyOperation = (typeof operations)[number] | (typeof gatewayOperations)[number]

/** All operations of the public API and of the gateway. */
export type AnyOperationId = AnyOperation['id']

export type OperationOf<Id extends AnyOperationId> = Extract<AnyOperation, { readonly id: Id }>

/** Operations without authentication. */
export type PublicOperationId = Extract<AnyOperation, { readonly access: 'public' }>['id']

/** Operations that return text instead of JSON. */
export type TextOperationId = Extract<
  AnyOperation,
  { readonly responses: { readonly 200: { readonly contentType: `text/${string}` } } }
>['id']

/** Query parameters: a list may be a single value, and any parameter may be undefined. */
type QueryInput<Query> = {
  readonly [Key in keyof Query]?:
    | (Query[Key] extends readonly (infer Item)[] | undefined ? Item | readonly Item[] : Query[Key])
    | undefined
}

type Parameters<Op> = keyof ParametersOf<Op> extends never
  ? { readonly parameters?: undefined }
  : { readonly parameters: ParametersOf<Op> }

type Body<Op> =
  BodyOf<Op> extends undefined
    ? { readonly body?: undefined }
    : Op extends { readonly hasOptionalBody: true }
      ? { readonly body?: BodyOf<Op> }
      : { readonly body: BodyOf<Op> }

type Query<Op> =
  unknown extends QueryOf<Op>
    ? { readonly query?: undefined }
    : { readonly query?: QueryInput<QueryOf<Op>> }

type RequestHeaders = Readonly<Record<string, string>>

type Headers<Op> =
  unknown extends HeadersOf<Op>
    ? { readonly headers?: RequestHeaders }
    : object extends HeadersOf<Op>
      ? { readonly headers?: HeadersOf<Op> & RequestHeaders }
      : { readonly headers: HeadersOf<Op> & RequestHeaders }

/** The input of an operation. */
export type Input<Id extends AnyOperationId> = Parameters<OperationOf<Id>> &
  Query<OperationOf<Id>> &
  Body<OperationOf<Id>> &
  Headers<OperationOf<Id>> & { readonly signal?: AbortSignal | undefined }

/** The input is optional if all its fields are. */
export type Arguments<Id extends AnyOperationId> =
  Partial<Input<Id>> extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>]

type Succeeds<Status> = Status extends number
  ? `${Status}` extends `2${string}` | '300'
    ? Status
    : never
  : never

/** The body of a successful response. */
export type Output<Id extends AnyOperationId> = OutputOf<OperationOf<Id>>

type OutputOf<Op> = Op extends { readonly responses: infer Answers }
  ? {
      [Status in keyof Answers]: Status extends Succeeds<Status>
        ? ResponseBodyOf<Answers[Status]>
        : never
    }[keyof Answers]
  : never

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
