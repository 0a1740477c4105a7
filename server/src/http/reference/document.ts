import type { OpenApiDocument } from '@muster/contract'

type OperationObject = OpenApiDocument['paths'][string][string]
type ParameterObject = OperationObject['parameters'][number]

/** An answer that an operation spells out, unlike the error that all of them share. */
export interface AnswerObject {
  readonly description: string
  readonly headers: Readonly<Record<string, { readonly description: string }>>
  readonly content?: Readonly<Record<string, MediaObject>>
}

export interface MediaObject {
  readonly schema: object
  readonly example?: unknown
}

export type Access = 'public' | 'token' | 'either' | 'session'

/** An operation of the document, with what the document says of it elsewhere. */
export interface DocumentedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Where that path is, without a slash at its end. */
  readonly address: string
  readonly tag: string
  readonly summary: string
  readonly description: string | undefined
  readonly access: Access
  readonly parameters: readonly ParameterObject[]
  readonly body: MediaObject | undefined
  readonly answers: readonly (readonly [status: number, answer: AnswerObject])[]
}

/** Every operation of the document, in its order. */
export function listOperations(document: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      address: withoutSlash(operation.servers?.[0]?.url ?? serverAddress(document)),
      tag: operation.tags[0] ?? '',
      summary: operation.summary,
      description: operation.description,
      access: accessOf(operation.security),
      parameters: operation.parameters,
      body: operation.requestBody?.content['application/json'],
      answers: answersOf(operation),
    })),
  )
}

/** In OpenAPI no requirement means anyone, and an empty one beside others makes them optional. */
function accessOf(security: readonly object[]): Access {
  if (security.length === 0) return 'public'
  if (security.some((requirement) => 'session' in requirement)) return 'session'
  return security.some((requirement) => Object.keys(requirement).length === 0) ? 'either' : 'token'
}

/** The shared error is a reference, and told in a section of its own. */
const answersOf = ({ responses }: OperationObject) =>
  Object.entries<AnswerObject | { $ref: string }>(responses).flatMap(([status, answer]) =>
    '$ref' in answer ? [] : [[Number(status), answer] as const],
  )

/** The address that all paths of the document start from, without a slash at its end. */
export const serverAddress = (document: OpenApiDocument) =>
  withoutSlash(document.servers[0]?.url ?? '')

const withoutSlash = (address: string) => address.replace(/\/+$/, '')

type Scheme = OpenApiDocument['components']['securitySchemes']['token']

/** What a call proves who it is with. */
export const schemesOf = ({ access, method }: DocumentedOperation, document: OpenApiDocument) => {
  const { token, session, csrf } = document.components.securitySchemes
  if (access === 'public') return []
  const needed = access === 'session' ? [session, method === 'GET' ? undefined : csrf] : [token]
  return needed.filter((scheme): scheme is Scheme => scheme !== undefined)
}

/** The header that carries a token. */
export const tokenHeader = (document: OpenApiDocument) =>
  document.components.securitySchemes.token.name
