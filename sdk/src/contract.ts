import {
  gatewayOperations,
  operations,
  type BodyOf,
  type ErrorBody as ContractErrorBody,
  type HeadersOf,
  type Operation,
  type ParametersOf,
  type QueryOf,
  type ResponseBodyOf,
} from '@muster/contract'

/**
 * What the SDK knows of the contract. No other module of it imports the contract, whose schemas would go along
 * into every browser: `inline-routes.ts` replaces this module in every build.
 */

type AnyOperation = (typeof operations)[number] | (typeof gatewayOperations)[number]

type SingleOrList<Value> = Value extends readonly (infer Item)[] ? Item | readonly Item[] : Value

/** Query parameters: a list may be a single value, and any parameter may be undefined. */
type QueryInput<Query> = {
  readonly [Key in keyof Query]?:
    // Anything, where the compiler cannot tell the type of a parameter.
    ([Query[Key]] extends [undefined] ? unknown : SingleOrList<Query[Key]>) | undefined
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

type InputOf<Op> = Parameters<Op> &
  Query<Op> &
  Body<Op> &
  Headers<Op> & { readonly signal?: AbortSignal | undefined }

type Succeeds<Status> = Status extends number
  ? `${Status}` extends `2${string}` | '300'
    ? Status
    : never
  : never

type OutputOf<Op> = Op extends { readonly responses: infer Responses }
  ? {
      [Status in keyof Responses]: Status extends Succeeds<Status>
        ? ResponseBodyOf<Responses[Status]>
        : never
    }[keyof Responses]
  : never

/** The input and the output of each operation of the public API and of the gateway. */
export type Api = {
  readonly [Op in AnyOperation as Op['id']]: {
    readonly input: InputOf<Op>
    readonly output: OutputOf<Op>
  }
}

/** The body of every error response. */
export type ErrorBody = ContractErrorBody

type Routed = Pick<Operation, 'id' | 'method' | 'path' | 'headers' | 'responses'> & {
  readonly access: string
}

function describeRoute({ id, method, path, access, headers, responses }: Routed): [string, string] {
  const properties = [
    access === 'public' && 'public',
    responses[200]?.contentType?.startsWith('text/') === true && 'text',
    headers !== undefined && 'idempotency-key' in headers.properties && 'key',
  ]
  return [id, [method, path, ...properties.filter((property) => property !== false)].join(' ')]
}

/**
 * Method and path of each operation, and its properties: `public` needs no authentication, `text` returns
 * text instead of JSON, `key` takes an `Idempotency-Key`.
 */
export const routes = Object.fromEntries(
  [...operations, ...gatewayOperations].map(describeRoute),
) as Readonly<Record<keyof Api, string>>
