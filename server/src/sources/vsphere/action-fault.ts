import { ActionError, type ActionErrorKind } from '../../domain/sources/action-port.ts'
import { notDone, toActionError } from '../shared/to-action-error.ts'
import { SoapFault } from './soap.ts'

/** Faults of vSphere, and what they mean for an action. The first match applies. */
const refusals: readonly (readonly [RegExp, ActionErrorKind, reason: string])[] = [
  [
    /^ToolsUnavailable$/,
    'unsupported',
    'VMware Tools do not run in the guest, so it cannot be asked to do this: force the action',
  ],
  [
    /^(?:InvalidPowerState|InvalidState|ConcurrentAccess|FileLocked|ResourceInUse|InvalidHostState|InvalidHostConnectionState|DuplicateName)$/,
    'conflict',
    'the virtual machine is busy, or in a state in which this is not possible',
  ],
  [/^ManagedObjectNotFound$/, 'not-found', 'it does not have the virtual machine'],
  [/^(?:NoPermission|MethodDisabled)$/, 'denied', 'the user lacks the permission'],
  [
    /^Insufficient|^NotEnough|^NoDiskSpace$|ExceedsLimit$|^LicenseExpired$|^OutOfBounds$/,
    'quota',
    'resources, licenses or a limit are exceeded',
  ],
  [
    /^(?:NotSupported|NotImplemented|InvalidArgument|InvalidName|RestrictedVersion|OperationNotSupportedByGuest)$|^InvalidVmConfig|HotPlugNotSupported$|NotSupported/,
    'unsupported',
    'this is not possible with this virtual machine',
  ],
]

/** Faults of vSphere itself, or of its connection to the host: the request may have been passed on. */
const internal =
  /^(?:SystemError|RuntimeFault|HostCommunication|HostNotReachable|Timedout|unknown fault)$/

/** A fault of a method or of its task. */
export function actionFault(fault: string, host: string, method: string): ActionError {
  const name = fault.replace(/Fault$/, '')
  const [, kind, reason] = refusals.find(([pattern]) => pattern.test(name)) ?? []
  // The vCenter chooses the name, so it could repeat a secret.
  const code = /^\w{1,64}$/.test(fault) ? ` (${fault})` : ''
  if (kind) return new ActionError(kind, `${host} refuses ${method}: ${reason}${code}.`)
  if (name === 'TaskInProgress')
    return notDone('conflict', `${host} is still busy with another task of the machine${code}.`)
  return internal.test(name)
    ? new ActionError('outcome-unknown', `${host} answered ${method} with a fault${code}.`)
    : new ActionError('failed', `${host} could not complete ${method}${code}.`)
}

/** Converts an error of a call that changes something. After the end of a session, nothing was done. */
export function toVSphereActionError(error: unknown, host: string, method: string): Error {
  if (error instanceof SoapFault && error.fault !== 'NotAuthenticated')
    return actionFault(error.fault, host, method)
  return toActionError(error, host, method)
}
