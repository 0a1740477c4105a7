import { ActionError, type ActionErrorKind } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
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

/** QEMU and the operating system tell it only in words. */
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

/** The error of a request that changes a domain. A `SourceError` says that nothing was sent. */
export function convertLibvirtError(error: unknown, wasSent: boolean): unknown {
  if (error instanceof LibvirtError) {
    return new ActionError(kindOf(error), error.message, { cause: error })
  }
  if (error instanceof SourceError && wasSent) {
    const message = `${error.message} The request may have been carried out.`
    return new ActionError('outcome-unknown', message, { cause: error })
  }
  return error
}
