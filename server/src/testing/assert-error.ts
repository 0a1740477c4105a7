import assert from 'node:assert/strict'
import { ErrorBody, errorStatus, jsonContentType, type ErrorClass } from '@muster/contract'
import { Ajv } from 'ajv'
import type { ClientResponse } from './client.ts'
import type { RawResponse } from './raw-socket.ts'

const matchesContract = new Ajv({ strict: false, validateFormats: false }).compile(ErrorBody)

/** Checks an error response against the contract: body, class, request id and headers. */
export function assertError(
  answer: Pick<ClientResponse, 'status' | 'headers' | 'text'>,
  errorClass: ErrorClass,
  contentType = jsonContentType,
): ErrorBody {
  assert.equal(answer.headers.get('content-type'), contentType, answer.text)
  const body = JSON.parse(answer.text) as ErrorBody
  assert.ok(matchesContract(body), `${answer.text} ${JSON.stringify(matchesContract.errors)}`)
  assert.equal(body.class, errorClass, answer.text)
  assert.equal(answer.status, errorStatus[errorClass])
  assert.equal(body.code, answer.status)
  assert.equal(body.request_id, answer.headers.get('x-request-id'))
  if (answer.status === 401) assert.ok(answer.headers.get('www-authenticate'))
  if (answer.status === 405) assert.ok(answer.headers.get('allow'))
  if (answer.status === 429 || answer.status === 503) assertRetryAfter(answer)
  return body
}

/** A request can be repeated after some time, except one that may have been carried out. */
export function assertRetryAfter({
  headers,
  text,
}: Pick<ClientResponse, 'headers' | 'text'>): void {
  const isUnconfirmed = text.includes('may have been made')
  assert.match(headers.get('retry-after') ?? 'none', isUnconfirmed ? /^none$/ : /^[1-9]\d*$/, text)
}

/** The same for a response from a raw socket. */
export function assertRawError(
  answer: RawResponse | undefined,
  errorClass: ErrorClass,
  contentType?: string,
): ErrorBody {
  assert.ok(answer, 'there was no answer')
  const { status, headers, body } = answer
  assert.ok(headers['date'], 'the answer has no date')
  return assertError({ status, headers: new Headers(headers), text: body }, errorClass, contentType)
}
