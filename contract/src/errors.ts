import { Type, type Static } from 'typebox'
import { Timestamp } from './scalars.ts'

/** Every error class of the API, with its status. */
export const errorStatus = {
  InputParameterError: 400,
  MissingParameterError: 400,
  InvalidFormatError: 400,
  WeakPasswordError: 400,
  UnauthorizedError: 401,
  ForbiddenError: 403,
  FactorRequiredError: 403,
  ResourceNotFoundError: 404,
  NotFoundError: 404,
  MethodNotAllowedError: 405,
  ConflictError: 409,
  DuplicateNameError: 409,
  InvalidStatusError: 409,
  AccountReadOnlyError: 409,
  NotSupportedError: 409,
  PreconditionFailedError: 412,
  TooLargeEntity: 413,
  UnsupportedMediaTypeError: 415,
  MisdirectedRequestError: 421,
  IdempotencyError: 422,
  HeaderTooLargeError: 431,
  TooManyRequests: 429,
  InternalServerError: 500,
  BadGateway: 502,
  ServiceUnavailable: 503,
  TimeoutError: 504,
} as const satisfies Record<string, number>

export type ErrorClass = keyof typeof errorStatus

export const FieldProblem = Type.Object(
  {
    path: Type.String({ description: 'The field, as the client spelled it' }),
    problem: Type.String(),
  },
  { additionalProperties: false },
)
export type FieldProblem = Static<typeof FieldProblem>

/** The values that an error is about, with the API's names: `{"status": "ready", "action": "stop"}`. */
export const ErrorValues = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Integer(), Type.Boolean(), Type.Array(Type.String())]),
)
export type ErrorValues = Static<typeof ErrorValues>

/** Why an action was refused, in a list of several. */
export const refusal = {
  class: Type.Optional(Type.Enum(Object.keys(errorStatus) as ErrorClass[])),
  values: Type.Optional(ErrorValues),
}

export const ErrorBody = Type.Object(
  {
    code: Type.Integer({ description: 'The HTTP status' }),
    class: Type.Enum(Object.keys(errorStatus) as ErrorClass[]),
    details: Type.String({ description: 'What is wrong and what to do' }),
    request_id: Type.String({ description: 'The `X-Request-Id` of this response' }),
    time: Timestamp,
    fields: Type.Optional(Type.Array(FieldProblem)),
    values: Type.Optional({
      ...ErrorValues,
      description: 'What `details` is about, for clients with texts of their own',
    }),
  },
  { title: 'Error', additionalProperties: false },
)
export type ErrorBody = Static<typeof ErrorBody>
