import assert from 'node:assert/strict'
import {
  errorStatus,
  operations,
  type ErrorBody,
  type ErrorClass,
  type Operation,
  type OperationId,
} from '@muster/contract'
import { Ajv, type ValidateFunction } from 'ajv'
import { ask, type ClientResponse } from './client.ts'
import { assertError } from './assert-error.ts'
import { insertToken } from './identity-world/insert-token.ts'
import type { TestPlatform } from './start-platform.ts'

const ajv = new Ajv({ strict: false, validateFormats: false })
const checks = new Map<object, ValidateFunction>()

/** An operation of the contract, without the details of its type. */
export function operationNamed(id: OperationId): Operation {
  const operation = operations.find((candidate) => candidate.id === id)
  assert.ok(operation, id)
  return operation
}

/** The operation's path with its parameters filled in. */
export const pathWith = (
  { path }: Operation,
  parameters: Readonly<Record<string, string>>,
): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    assert.ok(parameters[name] !== undefined, `${path} needs ${name}`)
    return encodeURIComponent(parameters[name])
  })

function assertKept(operation: Operation, { status, text, body }: ClientResponse): void {
  const schema = operation.responses[status]?.body
  if (!schema || operation.method === 'HEAD') {
    assert.equal(text, '', operation.id)
    return
  }
  const check = checks.get(schema) ?? ajv.compile(schema)
  checks.set(schema, check)
  assert.ok(check(body), `${operation.id}: ${JSON.stringify(check.errors)} in ${text}`)
}

interface Details {
  readonly path?: Readonly<Record<string, string>>
  /** Without its question mark. */
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces that of the operation. */
  readonly method?: string
}

/** Calls operations as one caller, and checks every response against the contract. */
export function createContractClient(url: string, token: string) {
  async function call<Body = ErrorBody>(
    id: OperationId,
    { path = {}, query, body, headers, method }: Details = {},
  ): Promise<ClientResponse<Body>> {
    const operation = operationNamed(id)
    const address = pathWith(operation, path) + (query === undefined ? '' : `?${query}`)
    const answer = await ask<Body>(url, address, {
      method: method ?? operation.method,
      token,
      ...(body !== undefined && { body }),
      ...(headers && { headers }),
    })
    if (operation.responses[answer.status]) assertKept(operation, answer)
    return answer
  }

  return {
    call,

    /** The body of a response that must be successful. */
    async get<Body>(id: OperationId, details?: Details): Promise<Body> {
      const answer = await call<Body>(id, details)
      const { status, text } = answer
      assert.ok(operationNamed(id).responses[status], `${id}: ${status} ${text}`)
      return answer.body
    },

    /** The error of a response that must be one. */
    async fail(errorClass: ErrorClass, id: OperationId, details?: Details): Promise<ErrorBody> {
      const answer = await call(id, details)
      assert.equal(answer.status, errorStatus[errorClass], `${id}: ${answer.text}`)
      // The response to a HEAD has no body with the error.
      return operationNamed(id).method === 'HEAD' ? answer.body : assertError(answer, errorClass)
    },
  }
}
export type ContractClient = ReturnType<typeof createContractClient>

/** The first administrator, without a password login. */
export async function createAdminClient(platform: TestPlatform, url = platform.url) {
  const { database } = platform
  const find = (table: 'users' | 'projects', name: string) =>
    database.db.selectFrom(table).select('id').where('name', '=', name).executeTakeFirstOrThrow()
  const { id: userId } = await find('users', 'sysadmin')
  const { id } = await find('projects', 'system')
  const token = await insertToken(database, { userId, scope: { kind: 'project', id } })
  return { ...createContractClient(url, token), token, userId }
}
