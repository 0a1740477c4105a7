import type { Operation } from '@muster/contract'
import type { FastifyRequest } from 'fastify'
import { badField, PlatformError } from '../domain/error.ts'
import { unsupportedMediaType } from './errors.ts'
import { countHeader } from './listener.ts'
import { parseStrictJson } from './strict-json.ts'

const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Checks the headers that describe the body before it is read. */
export function requireShape(
  operation: Pick<Operation, 'method' | 'body'>,
  request: FastifyRequest,
): void {
  const { raw, headers } = request
  const type = headers['content-type']
  const carriesBody = hasBody(request)
  if (type === undefined ? carriesBody : !isJson(type)) throw unsupportedMediaType()
  const coding = headers['content-encoding'] ?? 'identity'
  if (coding !== 'identity') throw unsupportedMediaType()
  if (type !== undefined && countHeader(raw, 'content-type') > 1) throw unsupportedMediaType()
  const isRead = operation.method === 'GET' || operation.method === 'HEAD'
  if (carriesBody && !operation.body && isRead) throw takesNoBody()
}

const takesNoBody = () =>
  new PlatformError('InputParameterError', 'This operation does not accept a body.')

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Accepts the empty bodies that the Cloudpods client sends: `{}`, or one key with an object as in
 * `{"role": {}}`. The content of the object is ignored.
 */
export function requireNothing(request: FastifyRequest): undefined {
  if (!hasBody(request)) return
  const body = readJsonBody(request)
  const values = isObject(body) ? Object.values(body) : [body]
  if (values.length > 1 || !values.every(isObject)) throw takesNoBody()
}

/** `application/json`, with UTF-8 if there is a charset. */
function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='))
  return (
    type === 'application/json' &&
    charsets.length <= 1 &&
    charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset))
  )
}

export function readJsonBody(
  { body }: FastifyRequest,
  {
    hasOptionalBody = false,
  }: Pick<Operation, 'hasOptionalBody'> | { hasOptionalBody?: boolean } = {},
): unknown {
  if (!(body instanceof Buffer) || body.length === 0) {
    if (hasOptionalBody) return {}
    throw badField('body', 'is required', 'MissingParameterError')
  }
  return parseStrictJson(body)
}
