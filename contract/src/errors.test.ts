import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv } from 'ajv'
import { ErrorBody, errorStatus } from './errors.ts'

/** The closed table of decision 0006, written out. */
const decided: Record<number, string[]> = {
  400: ['InputParameterError', 'InvalidFormatError', 'MissingParameterError', 'WeakPasswordError'],
  401: ['UnauthorizedError'],
  403: ['FactorRequiredError', 'ForbiddenError'],
  404: ['NotFoundError', 'ResourceNotFoundError'],
  405: ['MethodNotAllowedError'],
  409: [
    'AccountReadOnlyError',
    'ConflictError',
    'DuplicateNameError',
    'InvalidStatusError',
    'NotSupportedError',
  ],
  412: ['PreconditionFailedError'],
  413: ['TooLargeEntity'],
  415: ['UnsupportedMediaTypeError'],
  421: ['MisdirectedRequestError'],
  422: ['IdempotencyError'],
  429: ['TooManyRequests'],
  431: ['HeaderTooLargeError'],
  500: ['InternalServerError'],
  502: ['BadGateway'],
  503: ['ServiceUnavailable'],
  504: ['TimeoutError'],
}

describe('errors', () => {
  test('are those of the table, each with its status', () => {
    const declared = Object.groupBy(
      Object.entries(errorStatus).map(([name, status]) => ({ name, status })),
      ({ status }) => status,
    )
    const byStatus = Object.fromEntries(
      Object.entries(declared).map(([status, entries]) => [
        status,
        entries.map(({ name }) => name).sort(),
      ]),
    )
    assert.deepEqual(byStatus, decided)
  })

  const accepts = new Ajv({ strict: false, validateFormats: false }).compile(ErrorBody)
  const body = {
    code: 404,
    class: 'ResourceNotFoundError',
    details: 'There is no such thing.',
    request_id: 'req-1',
    time: '2026-05-04T08:00:00.000000Z',
  }

  test('have exactly the body that was decided', () => {
    assert.ok(accepts(body))
    assert.ok(accepts({ ...body, fields: [{ path: 'auth.identity.methods', problem: 'x' }] }))
    for (const key of Object.keys(body)) assert.ok(!accepts({ ...body, [key]: undefined }), key)
    assert.ok(!accepts({ ...body, stack: '' }))
    assert.ok(!accepts({ ...body, fields: [{ path: 'a' }] }))
    assert.ok(!accepts({ ...body, fields: [{ path: 'a', problem: 'b', value: 'c' }] }))
  })

  test('have a class of the table and no other', () => {
    for (const name of Object.values(decided).flat()) assert.ok(accepts({ ...body, class: name }))
    for (const name of ['', 'Error', 'TeapotError', 'unauthorizederror']) {
      assert.ok(!accepts({ ...body, class: name }))
    }
  })
})
