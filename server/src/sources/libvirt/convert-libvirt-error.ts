import { ActionError, type ActionErrorKind } from '../../domain/sources/action-port.ts'
import { notDone, noUsableAnswer } from '../shared/to-action-error.ts'
import { errorCodes, errorOrigins } from './protocol.ts'
import { LibvirtError } from './records.ts'

const kinds: ReadonlyMap<number, ActionErrorKind> = new Map([
  [errorCodes.noDomain, 'not-found'],
  [errorCodes.operationInvalid, 'conflict'],
  [errorCodes.operationTimeout, 'conflict'],
  [errorCodes.resourceBusy, 'conflict'],
  [errorCodes.blockCopyActive, 'conflict'],
  [errorCodes.domainExists, 'conflict'],
  [errorCodes.noSupport, 'unsupported'],
  [errorCodes.invalidArgument, 'unsupported'],
  [errorCodes.configUnsupported, 'unsupported'],
  [errorCodes.argumentUnsupported, 'unsupported'],
  [errorCodes.operationUnsupported, 'unsupported'],
  [errorCodes.operationDenied, 'denied'],
  [errorCodes.accessDenied, 'denied'],
  [errorCodes.authFailed, 'denied'],
  [errorCodes.authCancelled, 'denied'],
  [errorCodes.authUnavailable, 'denied'],
  [errorCodes.noMemory, 'quota'],
])

/** QEMU and the operating system report these only as text. */
const exhausted = /cannot allocate memory|no space left on device/i
/** The daemon is too old for the call. */
const unknownCall = /unknown procedure/i

function kindOf({ code, origin, message }: LibvirtError): ActionErrorKind {
  if (exhausted.test(message)) return 'quota'
  // A proxy daemon lost its connection to the daemon that carries the request out.
  if (origin === errorOrigins.rpc || code === errorCodes.rpc) {
    return unknownCall.test(message) ? 'unsupported' : 'outcome-unknown'
  }
  return kinds.get(code) ?? 'failed'
}

/** For a stopped domain the cause is its definition, such as NUMA nodes, so waiting does not help. */
const ofDefinition: ReadonlySet<string> = new Set([
  'virDomainSetMemoryFlags',
  'virDomainSetVcpusFlags',
])

/** The error of a call that changes something. Without the name of a call, none was sent. */
export function convertLibvirtError(error: unknown, request: string | undefined): unknown {
  if (request === undefined || error instanceof ActionError) return error
  if (!(error instanceof LibvirtError)) return noUsableAnswer('libvirt', request, error)
  const { code, message } = error
  // Another call still holds the domain.
  if (/state change lock/i.test(message)) return notDone('conflict', message, error)
  const isDefinition = code === errorCodes.operationInvalid && ofDefinition.has(request)
  const kind = isDefinition ? 'unsupported' : kindOf(error)
  return new ActionError(kind, message, { cause: error })
}
