import type { TObject, TSchema } from 'typebox'
import { ErrorBody, errorStatus } from './errors.ts'
import { errorStatusesOf } from './error-statuses.ts'
import type { GatewayOperation } from './gateway/operations.ts'
import { pollHeader, sessionCookie } from './gateway/wire-names.ts'
import { changesSomething } from './methods.ts'
import { createSchemaNames } from './name-schemas.ts'
import {
  jsonContentType,
  type Access,
  type OperationResponse,
  type PermissionLevel,
  type RequiredPermission,
  type Operation,
} from './operation.ts'
import { cloudpodsCompatibility } from './servers/cloudpods-compatibility.ts'

/** The operations of a gateway and its address, if the process is one. */
export interface DocumentedGateway {
  readonly operations: readonly GatewayOperation[]
  readonly url: string
}

type AnyOperation = Operation | GatewayOperation

const commonHeaders = {
  'X-Request-Id': {
    description: 'Id of the request: the one you sent if it was valid, else a new one',
    schema: { type: 'string' },
  },
}

const textHeaders = (headers: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  )

function renderResponse(answer: OperationResponse) {
  const content = answer.body && {
    [answer.contentType ?? jsonContentType]: {
      schema: answer.body,
      ...(answer.example === undefined ? {} : { example: answer.example }),
    },
  }
  return {
    description: answer.description,
    headers: { ...commonHeaders, ...textHeaders(answer.headers) },
    ...(content && { content }),
  }
}

function renderParameters(place: 'header' | 'query', schema: TObject | undefined) {
  if (!schema) return []
  const required = new Set<string>(schema.required ?? [])
  return Object.entries<TSchema & { description?: string }>(schema.properties).map(
    ([name, property]) => ({
      name: place === 'header' ? canonicalHeader(name) : name,
      in: place,
      required: required.has(name),
      schema: property,
      ...(property.description === undefined ? {} : { description: property.description }),
    }),
  )
}

const canonicalHeader = (name: string) =>
  name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', maxLength: 255 },
  }))

/** Errors have the content type of the operation's other responses: the token operation's differs. */
function errorsOf(operation: AnyOperation) {
  const isPlain = Object.values(operation.responses)[0]?.contentType === plainContentType
  const names = [...errorStatusesOf(operation), 'default'] as const
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/responses/${errorName(name, isPlain)}` }]),
  )
}

const plainContentType = 'application/json'

const errorName = (status: number | 'default', isPlain: boolean) =>
  `${isPlain ? 'Plain' : ''}Error${status === 'default' ? '' : status}`

const classesOf = (status: number | 'default') =>
  Object.entries(errorStatus)
    .filter(([, its]) => status === 'default' || its === status || (status === 408 && its === 504))
    .map(([name]) => name)

/** A response for each status of an error, and one for all others, in both content types. */
const renderErrors = () =>
  Object.fromEntries(
    [...new Set([408, ...Object.values(errorStatus)]), 'default' as const].flatMap((status) =>
      [false, true].map((isPlain) => [
        errorName(status, isPlain),
        {
          description: `An error. \`class\` is ${classesOf(status).join(' or ')}.`,
          headers: commonHeaders,
          content: { [isPlain ? plainContentType : jsonContentType]: { schema: ErrorBody } },
        },
      ]),
    ),
  )

function securityOf(operation: AnyOperation) {
  const access: Access | GatewayOperation['access'] = operation.access
  const token = { token: [] }
  const accessKey = 'acceptsAccessKey' in operation ? [{ accessKey: [] }] : []
  switch (access) {
    case 'public':
      return []
    case 'token':
      return [token, ...accessKey]
    case 'loopback':
      return [{}, token]
    case 'session':
      return [{ session: [], ...(changesSomething(operation) && { csrf: [] }) }]
  }
}

const levelNames: Readonly<Record<PermissionLevel, string>> = {
  system: 'the system',
  domain: 'the domain of your token',
  project: 'the project of your token',
  self: 'your own resources (without a role)',
}

/** The permission of an operation, in a sentence. */
const describePermission = ({ service, resource, action, at }: RequiredPermission): string =>
  `Required permission: \`${action}\` on \`${service}.${resource}\` for ${at.map((level) => levelNames[level]).join(', ')}.`

function describe(operation: AnyOperation): { description?: string } {
  const { description } = operation
  const permission = 'permission' in operation ? operation.permission : undefined
  const sentences = [description, permission && describePermission(permission)].filter(
    (sentence) => sentence !== undefined,
  )
  return sentences.length === 0 ? {} : { description: sentences.join(' ') }
}

/** Browsers send it themselves. Other clients of the gateway must send it. */
const originParameter = {
  name: 'Origin',
  in: 'header',
  required: true,
  schema: {
    type: 'string',
    description: 'Address of the gateway. Browsers send it automatically.',
  },
}

/** A moment of the past can take long to build. */
const takesMoment = ({ query }: AnyOperation) => query?.properties['as_of'] !== undefined

/** The 202 is not among the responses: clients that are generated would have to expect it in each call. */
const preferParameter = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`respond-async`: with `as_of`, respond with 202 if the moment is not built within a second, or within the time of `respond-async, wait=SECONDS`. It has the `progress`; send the request again to the address in `Location`.',
  schema: { type: 'string', maxLength: 1024 },
}

function renderOperation(operation: AnyOperation, gateway?: DocumentedGateway) {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...describe(operation),
    security: securityOf(operation),
    ...(gateway && { servers: [{ url: gateway.url }] }),
    parameters: [
      ...(gateway && changesSomething(operation) ? [originParameter] : []),
      ...pathParameters(operation.path),
      ...renderParameters('header', operation.headers),
      ...(takesMoment(operation) ? [preferParameter] : []),
      ...renderParameters('query', operation.query),
    ],
    ...(operation.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: operation.body,
            ...(operation.example === undefined ? {} : { example: operation.example }),
          },
        },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, answer]) => [
          status,
          renderResponse(answer),
        ]),
      ),
      ...errorsOf(operation),
    },
  }
}

const securitySchemes = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: 'Token from `POST /v3/auth/tokens`',
  },
  accessKey: {
    type: 'http',
    scheme: 'basic',
    description:
      'The access key as user name and its secret as password. Over TLS or from the same machine only.',
  },
}

/** How a browser authenticates with its gateway. */
const browserSchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie.secure,
    description: `Session cookie from \`POST /api/session\`. Without TLS its name is \`${sessionCookie.plain}\`. Under \`/api\` it also authenticates the operations that need a token. Requests with \`${canonicalHeader(pollHeader)}: 1\` do not extend the session.`,
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'The `csrf_token` of the session, for every request that changes something',
  },
}

/** What every client needs to know before its first operation. */
const introduce = (address: string) => `The same document for tools: [/openapi.json](/openapi.json).

## Log in

Request a token with your user name, password and project. The response carries it in the header \`X-Subject-Token\`:

\`\`\`sh
TOKEN=$(curl -s -D - -o /dev/null -H 'Content-Type: application/json' \\
  -d '{"auth": {
        "identity": {"methods": ["password"], "password": {"user": {"name": "NAME", "password": "PASSWORD"}}},
        "scope": {"project": {"name": "PROJECT"}}}}' \\
  ${address}/v3/auth/tokens | tr -d '\\r' | sed -n 's/^x-subject-token: //Ip')
\`\`\`

Send it as \`X-Auth-Token\` with every operation that needs a token, until \`expires_at\`. \`scope=max\` lists the servers of all projects that you can access:

\`\`\`sh
curl -s -H "X-Auth-Token: $TOKEN" '${address}/servers?scope=max&limit=5'
\`\`\`

## Errors

Every error has a JSON body with \`code\`, \`class\`, \`details\`, \`request_id\` and \`time\`; invalid input also has \`fields\`, one entry for each field. The classes and their status codes:

| Class | Status |
|---|---|
${Object.entries(errorStatus)
  .sort(([, left], [, right]) => left - right)
  .map(([name, status]) => `| \`${name}\` | ${status} |`)
  .join('\n')}`

/** The OpenAPI 3.1 document of these operations, served at these addresses. */
export function renderOpenApi(
  operations: readonly Operation[],
  serverUrls: readonly string[],
  gateway?: DocumentedGateway,
) {
  const paths: Record<string, Record<string, ReturnType<typeof renderOperation>>> = {}
  const add = (operation: AnyOperation, by?: DocumentedGateway) => {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: renderOperation(operation, by),
    }
  }
  for (const operation of operations) add(operation)
  for (const operation of gateway?.operations ?? []) add(operation, gateway)
  const all = [...operations, ...(gateway?.operations ?? [])]
  const { referWithin, schemas } = createSchemaNames()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Muster',
      version: '1',
      summary: 'Inventory of your virtual machines across clouds and hypervisors',
      description: introduce(serverUrls[0] ?? ''),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [...new Set(serverUrls)].map((url) => ({ url })),
    tags: [
      ...[...new Set(all.map(({ tag }) => tag))].map((name) => ({ name })),
      cloudpodsCompatibility,
    ],
    paths: referWithin(paths),
    components: {
      securitySchemes: { ...securitySchemes, ...(gateway && browserSchemes) },
      responses: referWithin(renderErrors()),
      schemas,
    },
  }
}

export type OpenApiDocument = ReturnType<typeof renderOpenApi>
