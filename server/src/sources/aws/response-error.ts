import { SourceError, type SourceErrorKind } from '../../domain/sources/source-error.ts'
import { TransientError } from '../shared/status-error.ts'

/** No instance with this id is visible: it is gone, or belongs to another account. */
export class UnknownInstance extends SourceError {
  /** The ids that EC2 names; empty if it names none. */
  readonly ids: readonly string[]

  constructor(message: string, body: string) {
    super('failed', message)
    const [, text = ''] = /<Message>([^<]*)<\/Message>/.exec(body) ?? []
    this.ids = text.match(/\bi-[\w-]+/g) ?? []
  }
}

/** A response that is XML, but exceeds a limit, or has a value that the SDK does not accept. */
export class UnparsedResponse extends SourceError {
  readonly body: string

  constructor(message: string, body: string) {
    super('invalid-response', message)
    this.body = body
  }
}

/** Error codes of EC2. */
const errorKinds: ReadonlyMap<string, SourceErrorKind> = new Map(
  (
    [
      [
        'credentials',
        'AuthFailure AuthMissingFailure ExpiredToken ExpiredTokenException IncompleteSignature InvalidAccessKeyId InvalidClientTokenId InvalidSecurity MissingAuthenticationToken RequestExpired SignatureDoesNotMatch UnrecognizedClientException',
      ],
      [
        'forbidden',
        'AccessDenied AccessDeniedException Blocked OptInRequired PendingVerification UnauthorizedOperation',
      ],
      [
        'throttled',
        'BandwidthLimitExceeded EC2ThrottledException RequestLimitExceeded RequestThrottled RequestThrottledException SlowDown Throttling ThrottlingException TooManyRequestsException',
      ],
    ] as const
  ).flatMap(([kind, codes]) => codes.split(' ').map((code) => [code, kind] as const)),
)

function kindOf(status: number, code: string): SourceErrorKind {
  const known = errorKinds.get(code)
  if (known !== undefined) return known
  if (status === 429) return 'throttled'
  if (status >= 500) return 'failed'
  if (status === 401) return 'credentials'
  // A response without an EC2 error code comes from another web server or a proxy.
  return code === '' ? 'invalid-response' : 'failed'
}

export interface FailedRequest {
  readonly action: string
  readonly host: string
}

function explain(kind: SourceErrorKind, code: string, { action, host }: FailedRequest): string {
  if (code === 'RequestExpired') {
    return `${host} rejects the request as too old: the key has expired, or this machine's clock is wrong`
  }
  if (kind === 'credentials') return `${host} does not accept the access key`
  if (kind === 'forbidden') return `The access key is not allowed to ${action} at ${host}`
  if (kind === 'throttled') return `${host} asks for fewer requests`
  if (kind === 'invalid-response') return `${host} sent a response that is not from EC2`
  return `${host} could not ${action}`
}

/** The error code of EC2; '' if the response is not from EC2. */
export const codeOf = (body: string): string => /<Code>([\w.]{1,80})<\/Code>/.exec(body)?.[1] ?? ''

/** Converts an error response. Only the code is shown: the message may contain signed data. */
export function responseError(status: number, body: string, request: FailedRequest): SourceError {
  const code = codeOf(body)
  const kind = kindOf(status, code)
  const reason = code === '' ? `status ${status}` : code
  const message = `${explain(kind, code, request)} (${reason}).`
  if (kind === 'throttled' || status >= 500) return new TransientError(kind, message)
  if (code === 'InvalidInstanceID.NotFound') return new UnknownInstance(message, body)
  return new SourceError(kind, message)
}
