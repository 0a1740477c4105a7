import { SourceError, type SourceTrouble } from '../../domain/sources/source-error.ts'

/** Trouble that may be over in a moment. */
export class PassingTrouble extends SourceError {}

/** These credentials see no instance of that id: it is gone, or belongs to somebody else. */
export class UnknownInstance extends SourceError {}

/** A response that is XML, but has a value that the SDK does not accept. */
export class UnparsedResponse extends SourceError {
  readonly body: string

  constructor(message: string, body: string) {
    super('garbled', message)
    this.body = body
  }
}

/** What EC2 calls the ways in which it refuses. */
const troubles: ReadonlyMap<string, SourceTrouble> = new Map(
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
  ).flatMap(([trouble, codes]) => codes.split(' ').map((code) => [code, trouble] as const)),
)

function troubleOf(status: number, code: string): SourceTrouble {
  const known = troubles.get(code)
  if (known !== undefined) return known
  if (status === 429) return 'throttled'
  if (status >= 500) return 'failed'
  if (status === 401) return 'credentials'
  // Whoever gives no reason in EC2's words is not EC2: some web server, or a proxy.
  return code === '' ? 'garbled' : 'failed'
}

interface Refusal {
  readonly action: string
  readonly host: string
}

function explain(trouble: SourceTrouble, code: string, { action, host }: Refusal): string {
  if (code === 'RequestExpired') {
    return `${host} finds the request too old: the key has expired, or this machine's clock is wrong`
  }
  if (trouble === 'credentials') return `${host} does not accept the access key`
  if (trouble === 'forbidden') return `The access key is not allowed to ${action} at ${host}`
  if (trouble === 'throttled') return `${host} asks for fewer requests`
  if (trouble === 'garbled') return `${host} does not answer as EC2 does`
  return `${host} could not ${action}`
}

/**
 * What an answer that is no success means. Of EC2's own words only the code is told: its message may
 * hold what was signed, and with what.
 */
export function answerTrouble(status: number, body: string, refusal: Refusal): SourceError {
  const code = /<Code>([\w.]{1,80})<\/Code>/.exec(body)?.[1] ?? ''
  const trouble = troubleOf(status, code)
  const reason = code === '' ? `status ${status}` : code
  const message = `${explain(trouble, code, refusal)} (${reason}).`
  if (trouble === 'throttled' || status >= 500) return new PassingTrouble(trouble, message)
  if (code === 'InvalidInstanceID.NotFound') return new UnknownInstance(trouble, message)
  return new SourceError(trouble, message)
}
