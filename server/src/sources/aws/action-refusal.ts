import { ActionError, type ActionErrorKind } from '../../domain/sources/action-port.ts'
import { notDone, shortText } from '../shared/to-action-error.ts'
import { codeOf, responseError, type FailedRequest } from './response-error.ts'

/** Error codes of EC2, and what they mean for an action. */
const refusals: readonly (readonly [ActionErrorKind, reason: string, codes: string])[] = [
  [
    'conflict',
    'the instance is busy or in a state in which this is not possible',
    'IncorrectInstanceState IncorrectState IncorrectSpotRequestState InvalidState DependencyViolation VolumeInUse',
  ],
  ['not-found', 'it does not have the instance', 'InvalidInstanceID.NotFound'],
  [
    'unsupported',
    'this is not possible with this instance',
    'UnsupportedOperation Unsupported UnsupportedHostConfiguration UnsupportedTenancy InvalidInstanceAttributeValue InvalidInstanceType InvalidParameter InvalidParameterCombination InvalidParameterValue',
  ],
  ['denied', 'termination or stop protection is on, or AWS forbids it', 'OperationNotPermitted'],
  [
    'denied',
    'the access key lacks the permission',
    'UnauthorizedOperation AccessDenied AccessDeniedException Blocked OptInRequired PendingVerification',
  ],
  [
    'quota',
    'a limit of the AWS account or the capacity of AWS is exceeded',
    'InstanceLimitExceeded VcpuLimitExceeded ResourceLimitExceeded MaxSpotInstanceCountExceeded TagLimitExceeded InsufficientInstanceCapacity InsufficientHostCapacity InsufficientReservedInstanceCapacity InsufficientCapacity InsufficientCapacityOnHost InsufficientFreeAddressesInSubnet',
  ],
]
const refusalOf: ReadonlyMap<string, readonly [ActionErrorKind, string]> = new Map(
  refusals.flatMap(([kind, reason, codes]) =>
    codes.split(' ').map((code) => [code, [kind, reason]] as const),
  ),
)

/** The answer to a request with `DryRun` that would succeed. */
export class WouldSucceed extends Error {}

/** EC2's message about an internal error; empty if it could repeat signed data. */
function sentenceOf(body: string): string {
  const text = shortText(/<Message>([^<]*)/.exec(body)?.[1] ?? '')
  return text === '' || /sign|credential|token|key/i.test(text) ? '' : `: ${text}`
}

/**
 * Converts an error response to a request that changes something. For most errors only the code is shown,
 * because the message may contain signed data.
 */
export function actionRefusal(status: number, body: string, request: FailedRequest): Error {
  const { action, host } = request
  const code = codeOf(body)
  if (code === 'DryRunOperation') return new WouldSucceed()
  const [kind, reason] = refusalOf.get(code) ?? []
  if (kind) return new ActionError(kind, `${host} refuses ${action}: ${reason} (${code}).`)
  const error = responseError(status, body, request)
  if (error.kind === 'credentials') return notDone('denied', error.message)
  if (error.kind === 'throttled') return notDone('failed', error.message)
  // A response without a code is not from EC2.
  if (status < 500 && code !== '') return new ActionError('failed', error.message)
  // EC2 can answer with 5xx after it has begun the work.
  const answer = [status, code].filter(Boolean).join(' ')
  return new ActionError(
    'outcome-unknown',
    `${host} answered ${action} with ${answer}${sentenceOf(body)}`.replace(/\.?$/, '.'),
  )
}
